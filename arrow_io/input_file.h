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

  /// Opens the file; several threads may read from it. An error names it and has its kind
  /// (failure.h), as have those of reading from it.
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Open() const;

  /// An error, which may pass, when the file is no longer what it was when it was listed.
  arrow::Status CheckUnchanged() const;
};

/// A file of this machine, not listed.
InputFile LocalFile(const std::filesystem::path& path);

/// What a file of this machine is now.
arrow::Result<FileStamp> LocalStamp(const std::string& path);

}  // namespace spuna::arrow_io
