#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <string>
#include <vector>

#include "arrow_io/file_store.h"

namespace spuna::arrow_io {

/// Which files of a directory are meant.
struct FileChoice {
  /// Below the directory, as MatchesGlob takes it; empty for all.
  std::string pattern;
  /// Whether files of any name are meant, not only .parquet, .parq and .pq.
  bool all_files = false;

  /// What a message says where none is found: "no .parquet file matches this pattern", and what to
  /// do about `listed` files of other names.
  std::string NoneFound(const std::vector<ListedFile>& listed) const;
};

/// The files below a directory of this machine, but none whose name, or whose folder's name, starts
/// with '.' or '_'. Links are followed. Files that are not meant whatever the pattern have no
/// stamp.
arrow::Result<std::vector<ListedFile>> ListDirectory(const std::filesystem::path& directory,
                                                     const FileChoice& choice);

/// The files of a listing that are meant, in the order of their paths.
std::vector<ListedFile> Choose(std::vector<ListedFile> files, const FileChoice& choice);

}  // namespace spuna::arrow_io
