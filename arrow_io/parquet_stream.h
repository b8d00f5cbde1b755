#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "arrow_io/input_files.h"

namespace spuna::arrow_io {

/// What of some files to stream.
struct ParquetStreamOptions {
  /// Only the embedding column; all columns otherwise.
  bool only_embedding = false;
  /// Its name, which every file must have; empty chooses as FindEmbeddingColumn does, on the first
  /// file.
  std::string embedding;
};

/// The columns that a file has in a stream: its own, then the keys of its hive partitions.
struct FileColumns {
  std::string name;
  std::shared_ptr<arrow::Schema> schema;
};
FileColumns ColumnsInStream(const InputFile& file, const arrow::Schema& schema);

/// The columns of several files by their names, in the order in which they first appear. A column
/// that some files lack is null there; it is an error where two have it in different types.
arrow::Result<std::shared_ptr<arrow::Schema>> UniteColumns(const std::vector<FileColumns>& files);

/// The rows of all files one after the other, read as they are asked for. The keys of hive
/// partitions become columns of strings. The columns are those of UniteColumns: `schema`, or where
/// that is null what the footers say.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> StreamParquet(
    const InputFiles& input, const ParquetStreamOptions& options,
    std::shared_ptr<arrow::Schema> schema = nullptr);

}  // namespace spuna::arrow_io
