#include "arrow_io/parquet_input.h"

#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <numeric>

#include "arrow_io/failure.h"
#include "arrow_io/file_memory.h"

namespace spuna::arrow_io {
namespace {

constexpr std::int64_t kBytesPerBatch = 8 << 20;
constexpr std::int64_t kMaxRowsPerBatch = 64 << 10;

void CollectLeaves(const parquet::arrow::SchemaField& field, std::vector<int>& leaves) {
  if (field.column_index >= 0) leaves.push_back(field.column_index);
  for (const parquet::arrow::SchemaField& child : field.children) CollectLeaves(child, leaves);
}

}  // namespace

ParquetInput::ParquetInput() = default;
ParquetInput::~ParquetInput() = default;

arrow::Result<std::unique_ptr<ParquetInput>> ParquetInput::Open(const InputFile& file) {
  auto input = std::unique_ptr<ParquetInput>(new ParquetInput());
  input->name_ = file.name;
  input->partitions_ = file.partitions;
  ARROW_ASSIGN_OR_RAISE(input->bytes_, file.Open());
  auto open = [&]() -> arrow::Status {
    parquet::ReaderProperties properties(FileMemory());
    properties.enable_buffered_stream();
    properties.set_page_checksum_verification(true);
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(input->bytes_, properties));
    parquet::ArrowReaderProperties arrow_properties(/*use_threads=*/true);
    // Buffering a whole row group ahead would undo reading it in batches.
    arrow_properties.set_pre_buffer(false);
    PARQUET_CATCH_NOT_OK(input->rows_per_batch_ =
                             std::min(RowsWithin(*builder.raw_reader()->metadata(), kBytesPerBatch),
                                      kMaxRowsPerBatch));
    arrow_properties.set_batch_size(input->rows_per_batch_);
    ARROW_ASSIGN_OR_RAISE(input->reader_,
                          builder.memory_pool(FileMemory())->properties(arrow_properties)->Build());
    return input->reader_->GetSchema(&input->schema_);
  };
  ARROW_RETURN_NOT_OK(input->Explain(open()));
  return input;
}

const parquet::FileMetaData& ParquetInput::metadata() const {
  return *reader_->parquet_reader()->metadata();
}

std::int64_t ParquetInput::num_rows() const { return metadata().num_rows(); }

int ParquetInput::num_row_groups() const { return reader_->num_row_groups(); }

std::int64_t ParquetInput::RowsOf(int row_group) const {
  return metadata().RowGroup(row_group)->num_rows();
}

parquet::ParquetFileReader& ParquetInput::file_reader() const { return *reader_->parquet_reader(); }

std::vector<int> ParquetInput::Leaves(const std::vector<int>& columns) const {
  std::vector<int> leaves;
  for (const int column : columns) {
    CollectLeaves(reader_->manifest().schema_fields[static_cast<std::size_t>(column)], leaves);
  }
  return leaves;
}

ParquetInput::Cursor::Cursor(const ParquetInput& input, const std::vector<int>& columns, int begin,
                             int end)
    : input_(input), leaves_(input.Leaves(columns)), next_row_group_(begin), end_(end) {
  for (int i = begin; i < end; ++i) expected_rows_ += input.RowsOf(i);
}
ParquetInput::Cursor::Cursor(Cursor&&) noexcept = default;
ParquetInput::Cursor::~Cursor() = default;

arrow::Result<ParquetInput::Batch> ParquetInput::Cursor::Next() {
  Batch batch;
  batch.first_row = next_row_;
  while (true) {
    if (row_group_ == nullptr) {
      if (next_row_group_ == end_) break;
      auto reader = input_.reader_->GetRecordBatchReader({next_row_group_++}, leaves_);
      ARROW_RETURN_NOT_OK(input_.Explain(reader.status()));
      row_group_ = *std::move(reader);
      batch.starts_row_group = true;
    }
    ARROW_RETURN_NOT_OK(input_.Explain(row_group_->ReadNext(&batch.rows)));
    if (batch.rows != nullptr) {
      batch.row_group = next_row_group_ - 1;
      next_row_ += batch.rows->num_rows();
      return batch;
    }
    row_group_ = nullptr;
  }
  if (next_row_ != expected_rows_) {
    return input_.Explain(arrow::Status::IOError("expected ", expected_rows_,
                                                 " rows, as its footer says, but found ", next_row_,
                                                 "; the file is damaged"));
  }
  return batch;
}

arrow::Status ParquetInput::ForEachBatch(
    const std::vector<int>& columns,
    const std::function<arrow::Status(const Batch&)>& visit) const {
  Cursor cursor = Read(columns);
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const Batch batch, cursor.Next());
    if (batch.rows == nullptr) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(visit(batch));
  }
}

arrow::Status ParquetInput::Explain(const arrow::Status& status) const {
  if (status.ok()) return status;
  return FileFailure(status).WithMessage(name_, ": ", status.message());
}

std::int64_t RowsWithin(const parquet::FileMetaData& metadata, std::int64_t num_bytes) {
  std::int64_t bytes_per_row = 1;
  for (int i = 0; i < metadata.num_row_groups(); ++i) {
    const auto row_group = metadata.RowGroup(i);
    if (row_group->num_rows() > 0) {
      bytes_per_row = std::max(bytes_per_row, row_group->total_byte_size() / row_group->num_rows());
    }
  }
  return std::max<std::int64_t>(num_bytes / bytes_per_row, 1);
}

std::vector<int> AllColumns(const arrow::Schema& schema) {
  std::vector<int> columns(static_cast<std::size_t>(schema.num_fields()));
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

}  // namespace spuna::arrow_io
