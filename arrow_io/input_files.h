#pragma once

#include <arrow/filesystem/type_fwd.h>
#include <arrow/io/type_fwd.h>
#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow_io/file_store.h"

namespace spuna::arrow_io {

/// One Parquet file of an input.
struct InputFile {
  /// What messages call it: its path, or its URI.
  std::string name;
  /// Where its output goes, below the output directory.
  std::filesystem::path relative_path;
  /// The "key=value" folders on its way (hive partitions), outermost first.
  std::vector<std::pair<std::string, std::string>> partitions;
  /// What it was when it was listed.
  FileStamp stamp;
  /// The store that holds it; null for a file of this machine.
  std::shared_ptr<arrow::fs::FileSystem> filesystem = nullptr;
  /// Its path in the store.
  std::string store_path;

  /// Opens the file; several threads may read from it. An error names it.
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Open() const;

  /// An error when the file is no longer what it was when it was listed.
  arrow::Status CheckUnchanged() const;
};

/// A file of this machine, not listed.
InputFile LocalFile(const std::filesystem::path& path);

/// The files of an input, in the order of their rows.
struct InputFiles {
  std::vector<InputFile> files;
  /// Whether the input was given as one file, so that the output is one file too.
  bool is_single_file = false;
};

/// Puts the lines of "@list" in its place and makes paths of file:// URIs. `option` is for
/// messages.
arrow::Result<std::vector<std::string>> ExpandPaths(const std::vector<std::string>& paths,
                                                    const std::string& option);

/// Finds the Parquet files behind paths. A path is a file, a directory, a pattern with '*', '?',
/// '[…]' or '**', an s3://, gs:// or abfs:// URI of any of these (but for '?', which begins the
/// URI's query), a file:// URI, or '@' and a text file with one path a line. What exists under the
/// very name is no pattern.
///
/// Paths keep their order; within a directory or a pattern the files come in the order of their
/// relative paths. Names that start with '.' or '_' and files that don't end in .parquet, .parq or
/// .pq are passed over there. `option` is the name of the option that gave the paths, for messages.
arrow::Result<InputFiles> ListInputFiles(const std::vector<std::string>& paths,
                                         const std::string& option);

}  // namespace spuna::arrow_io
