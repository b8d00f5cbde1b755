#include "arrow_io/ipc_stream.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace spuna::arrow_io {
namespace {

arrow::Status Explain(const arrow::Status& status) {
  if (status.ok() || status.IsCancelled()) return status;
  return status.WithMessage("standard input: expected an Arrow IPC stream: ", status.message());
}

// The bytes on standard input. Arrow's StdinStream would wait for them whatever happens.
class StandardInputBytes : public arrow::io::InputStream {
 public:
  explicit StandardInputBytes(std::function<bool()> should_stop)
      : should_stop_(std::move(should_stop)) {}

  arrow::Result<std::int64_t> Read(std::int64_t num_bytes, void* out) override {
    std::int64_t done = 0;
    while (done < num_bytes) {
      ARROW_RETURN_NOT_OK(AwaitBytes());
      const ssize_t count = read(STDIN_FILENO, static_cast<char*>(out) + done,
                                 static_cast<std::size_t>(num_bytes - done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return arrow::Status::IOError(std::strerror(errno));
      if (count == 0) break;
      done += count;
    }
    position_ += done;
    return done;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t num_bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(num_bytes));
    ARROW_ASSIGN_OR_RAISE(const std::int64_t done, Read(num_bytes, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(done));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }
  arrow::Result<std::int64_t> Tell() const override { return position_; }
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }

 private:
  arrow::Status AwaitBytes() const {
    constexpr int kMilliseconds = 100;
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    int ready = 0;
    do {
      if (should_stop_ && should_stop_()) return arrow::Status::Cancelled("interrupted");
      ready = poll(&input, 1, kMilliseconds);
    } while (ready == 0 || (ready < 0 && errno == EINTR));
    return arrow::Status::OK();
  }

  std::function<bool()> should_stop_;
  std::int64_t position_ = 0;
};

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

// Standard output, be it a file or a pipe. Arrow's StdoutStream does not notice a full disk, and
// its FileOutputStream wants to seek.
class StandardOutput : public arrow::io::OutputStream {
 public:
  arrow::Status Write(const void* data, std::int64_t num_bytes) override {
    const char* rest = static_cast<const char*>(data);
    for (std::int64_t left = num_bytes; left > 0;) {
      const ssize_t written = write(STDOUT_FILENO, rest, static_cast<std::size_t>(left));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        return arrow::Status::IOError("standard output can't be written: ", std::strerror(errno));
      }
      rest += written;
      left -= written;
    }
    position_ += num_bytes;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override { return position_; }
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }

 private:
  std::int64_t position_ = 0;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadStandardInput(
    const std::function<bool()>& should_stop) {
  auto reader =
      arrow::ipc::RecordBatchStreamReader::Open(std::make_shared<StandardInputBytes>(should_stop));
  ARROW_RETURN_NOT_OK(Explain(reader.status()));
  return std::make_shared<StandardInput>(*std::move(reader));
}

arrow::Status WriteStandardOutput(arrow::RecordBatchReader& rows) {
  StandardOutput out;
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeStreamWriter(&out, rows.schema()));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(rows.ReadNext(&batch));
    if (batch == nullptr) break;
    ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  }
  return writer->Close();
}

}  // namespace spuna::arrow_io
