#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "arrow_io/direct_lists.h"
#include "arrow_io/parquet_input.h"

namespace spuna::arrow_io {

/// Reads a column of lists batch by batch: the batches that ParquetInput's own cursor gives, as
/// lists of fixed length where they can be read directly.
class ListCursor {
 public:
  /// Lists of another length than this one are read the general way. The input must outlive it.
  ListCursor(const ParquetInput& input, int column, std::int64_t length);

  /// The next batch; its rows are null at the end. An error names the file.
  arrow::Result<ParquetInput::Batch> Next();

 private:
  arrow::Status Start();
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadDirectly();
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadGenerally();

  const ParquetInput& input_;
  int column_;
  std::int64_t length_;
  std::shared_ptr<arrow::Schema> schema_;
  // The row group that is read, and how many of its rows have been.
  int row_group_ = -1;
  std::int64_t rows_done_ = 0;
  std::int64_t first_row_ = 0;
  // One of the two while a row group is read.
  std::unique_ptr<DirectLists> direct_;
  std::optional<ParquetInput::Cursor> general_;
};

}  // namespace spuna::arrow_io
