#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "arrow_io/input_files.h"

namespace spuna::arrow_io {

/// What of some files to stream.
struct ParquetStreamOptions {
  /// Only the embedding column; all columns otherwise.
  bool only_embedding = false;
  /// Its name; empty chooses as FindEmbeddingColumn does, on the first file.
  std::string embedding;
};

/// The rows of all files one after the other, read as they are asked for. The keys of hive
/// partitions become columns of strings. All files must have the columns of the first.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> StreamParquet(
    const InputFiles& input, const ParquetStreamOptions& options);

}  // namespace spuna::arrow_io
