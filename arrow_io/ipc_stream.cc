#include "arrow_io/ipc_stream.h"

#include <arrow/io/file.h>
#include <arrow/io/stdio.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <unistd.h>

#include <utility>

namespace spuna::arrow_io {
namespace {

arrow::Status Explain(const arrow::Status& status) {
  if (status.ok()) return status;
  return status.WithMessage("standard input: expected an Arrow IPC stream: ", status.message());
}

// Names the input in the errors of reading it, and checks what nobody has checked before.
class StandardInput : public arrow::RecordBatchReader {
 public:
  explicit StandardInput(std::shared_ptr<arrow::RecordBatchReader> reader)
      : reader_(std::move(reader)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(Explain(reader_->ReadNext(batch)));
    if (*batch == nullptr) return arrow::Status::OK();
    return Explain((*batch)->ValidateFull());
  }

 private:
  std::shared_ptr<arrow::RecordBatchReader> reader_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadStandardInput() {
  auto reader =
      arrow::ipc::RecordBatchStreamReader::Open(std::make_shared<arrow::io::StdinStream>());
  ARROW_RETURN_NOT_OK(Explain(reader.status()));
  return std::make_shared<StandardInput>(*std::move(reader));
}

arrow::Status WriteStandardOutput(arrow::RecordBatchReader& rows) {
  // Arrow's own StdoutStream does not notice a full disk.
  ARROW_ASSIGN_OR_RAISE(const auto out, arrow::io::FileOutputStream::Open(dup(STDOUT_FILENO)));
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeStreamWriter(out, rows.schema()));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(rows.ReadNext(&batch));
    if (batch == nullptr) break;
    ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  }
  ARROW_RETURN_NOT_OK(writer->Close());
  return out->Close();
}

}  // namespace spuna::arrow_io
