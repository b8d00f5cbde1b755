#include "arrow_io/table_output.h"

#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

namespace spuna::arrow_io {

TableOutput::TableOutput() = default;
TableOutput::~TableOutput() = default;

arrow::Status TableOutput::Explain(const arrow::Status& status) const {
  if (status.ok()) return status;
  return status.WithMessage(name_, " can't be written: ", status.message());
}

arrow::Result<std::unique_ptr<TableOutput>> TableOutput::Create(
    const std::filesystem::path& path, const std::string& name,
    const std::shared_ptr<arrow::Schema>& schema) {
  std::unique_ptr<TableOutput> output(new TableOutput());
  output->name_ = name;
  auto file = arrow::io::FileOutputStream::Open(path.string());
  ARROW_RETURN_NOT_OK(output->Explain(file.status()));
  output->file_ = *file;
  auto writer = parquet::arrow::FileWriter::Open(
      *schema, arrow::default_memory_pool(), output->file_,
      parquet::WriterProperties::Builder().compression(arrow::Compression::ZSTD)->build(),
      parquet::ArrowWriterProperties::Builder().store_schema()->build());
  ARROW_RETURN_NOT_OK(output->Explain(writer.status()));
  output->writer_ = *std::move(writer);
  return output;
}

arrow::Status TableOutput::Write(const arrow::RecordBatch& batch) {
  return Explain(writer_->WriteRecordBatch(batch));
}

arrow::Status TableOutput::Close() {
  ARROW_RETURN_NOT_OK(Explain(writer_->Close()));
  return Explain(file_->Close());
}

}  // namespace spuna::arrow_io
