#include "arrow_io/list_cursor.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "arrow_io/file_memory.h"

namespace spuna::arrow_io {

ListCursor::ListCursor(const ParquetInput& input, int column, std::int64_t length)
    : input_(input), column_(column), length_(length) {
  schema_ = arrow::schema(
      {arrow::field(input.schema()->field(column)->name(),
                    arrow::fixed_size_list(arrow::float32(), static_cast<std::int32_t>(length)))});
}

arrow::Result<ParquetInput::Batch> ListCursor::Next() {
  ParquetInput::Batch batch;
  batch.first_row = first_row_ + rows_done_;
  while (row_group_ < 0 || rows_done_ == input_.RowsOf(row_group_)) {
    // The general way has a look behind the last row.
    if (general_) ARROW_RETURN_NOT_OK(general_->Next().status());
    if (row_group_ + 1 == input_.num_row_groups()) return batch;
    ARROW_RETURN_NOT_OK(Start());
  }
  batch.row_group = row_group_;
  batch.starts_row_group = rows_done_ == 0;
  if (direct_ != nullptr) {
    ARROW_ASSIGN_OR_RAISE(batch.rows, ReadDirectly());
  }
  if (batch.rows == nullptr) {
    ARROW_ASSIGN_OR_RAISE(batch.rows, ReadGenerally());
  }
  rows_done_ += batch.rows->num_rows();
  return batch;
}

// Goes on with the next row group.
arrow::Status ListCursor::Start() {
  first_row_ += rows_done_;
  rows_done_ = 0;
  direct_ = nullptr;
  general_.reset();
  if (UniformLength(input_, column_, ++row_group_) != length_) return arrow::Status::OK();
  return DirectLists::Open(input_, column_, row_group_, length_).Value(&direct_);
}

// None where the lists are not as they should be.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ListCursor::ReadDirectly() {
  const std::int64_t num_rows =
      std::min(input_.rows_per_batch(), input_.RowsOf(row_group_) - rows_done_);
  const std::int64_t num_values = num_rows * length_;
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::Buffer> buffer,
      arrow::AllocateBuffer(num_values * static_cast<std::int64_t>(sizeof(float)), FileMemory()));
  ARROW_ASSIGN_OR_RAISE(const bool is_uniform,
                        direct_->Read(num_rows, buffer->mutable_data_as<float>()));
  if (!is_uniform) {
    direct_ = nullptr;
    return nullptr;
  }
  const auto values = std::make_shared<arrow::FloatArray>(num_values, std::move(buffer));
  const auto lists =
      std::make_shared<arrow::FixedSizeListArray>(schema_->field(0)->type(), num_rows, values);
  return arrow::RecordBatch::Make(schema_, num_rows, {lists});
}

// Reads the row group's next batch the general way, after as many as have been read.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ListCursor::ReadGenerally() {
  if (general_) {
    ARROW_ASSIGN_OR_RAISE(const ParquetInput::Batch batch, general_->Next());
    return batch.rows;
  }
  general_.emplace(input_.ReadRowGroup({column_}, row_group_));
  for (std::int64_t end = 0;;) {
    ARROW_ASSIGN_OR_RAISE(const ParquetInput::Batch batch, general_->Next());
    end += batch.rows->num_rows();
    const std::int64_t unread = end - rows_done_;
    if (unread > 0) return batch.rows->Slice(batch.rows->num_rows() - unread);
  }
}

}  // namespace spuna::arrow_io
