#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace spuna::arrow_io {

/// One Parquet file of an input.
struct InputFile {
  std::filesystem::path path;
  /// Where its output goes, below the output directory.
  std::filesystem::path relative_path;
  /// The "key=value" folders on its way (hive partitions), outermost first.
  std::vector<std::pair<std::string, std::string>> partitions;
};

/// The files of an input, in the order of their rows.
struct InputFiles {
  std::vector<InputFile> files;
  /// Whether the input was given as one file, so that the output is one file too.
  bool is_single_file = false;
};

/// Finds the Parquet files behind paths of files and directories. Paths keep their order; within a
/// directory the files come in the order of their relative paths. Names that start with '.' or '_'
/// and files that don't end in .parquet, .parq or .pq are passed over inside directories. `option`
/// is the name of the option that gave the paths, for messages.
arrow::Result<InputFiles> ListInputFiles(const std::vector<std::string>& paths,
                                         const std::string& option);

}  // namespace spuna::arrow_io
