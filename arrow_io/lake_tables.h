#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "arrow_io/file_store.h"

namespace spuna::arrow_io {

/// A directory that a table format keeps. Its files hold rows that the table has deleted or
/// replaced; only its log says which files are live.
struct LakeTable {
  /// A path, or a path in a store.
  std::string directory;
  /// "Delta" or "Iceberg".
  std::string format;
  /// What shows it: "_delta_log".
  std::string sign;
};

/// Finds the tables that files lie in. Remembers the folders that it has looked at.
class LakeTables {
 public:
  /// The table of this machine that holds one of the files of a directory; none where none does.
  std::optional<LakeTable> FindLocal(const std::filesystem::path& directory,
                                     const std::vector<ListedFile>& files);

  /// The same in a store, where `listed` is all that is below the place. Folders above it that may
  /// not be read are taken for no tables.
  arrow::Result<std::optional<LakeTable>> FindStored(const StorePath& place,
                                                     const std::vector<ListedFile>& listed,
                                                     const std::vector<ListedFile>& files);

 private:
  // The table at a folder or above it.
  std::optional<LakeTable> FindAbove(std::filesystem::path folder);
  arrow::Result<std::optional<LakeTable>> FindAbove(const StorePath& place);

  std::set<std::filesystem::path> plain_folders_;
  std::set<std::string> plain_places_;
};

}  // namespace spuna::arrow_io
