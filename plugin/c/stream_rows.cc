#include <arrow/array.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "pipelines/options/call_words.h"
#include "pipelines/run/exception_status.h"
#include "plugin/c/stream_rows_internal.h"

namespace spuna::c {
namespace {

// A message without the kind of error that Arrow's exporter puts before it.
std::string WithoutKind(const std::string& message) {
  for (const char* kind :
       {"Invalid: ", "IOError: ", "Unknown error: ", "Type error: ", "Key error: ", "Index error: ",
        "NotImplemented: ", "Cancelled: ", "Out of memory: "}) {
    if (message.starts_with(kind)) return message.substr(std::strlen(kind));
  }
  return message;
}

// The rows of a C stream. Arrow's own reader takes no slices and no arrays other than structs.
class StreamRows : public arrow::RecordBatchReader {
 public:
  explicit StreamRows(ArrowArrayStream stream) : stream_(stream) {}
  ~StreamRows() override {
    if (stream_.release != nullptr) stream_.release(&stream_);
  }
  StreamRows(const StreamRows&) = delete;
  StreamRows& operator=(const StreamRows&) = delete;

  arrow::Status ReadSchema() {
    ArrowSchema schema;
    ARROW_RETURN_NOT_OK(Explain(stream_.get_schema(&stream_, &schema)));
    const bool has_columns = std::strcmp(schema.format, "+s") == 0;
    if (has_columns) {
      ARROW_ASSIGN_OR_RAISE(schema_, arrow::ImportSchema(&schema));
      type_ = arrow::struct_(schema_->fields());
    } else {
      ARROW_ASSIGN_OR_RAISE(const auto field, arrow::ImportField(&schema));
      type_ = field->type();
      schema_ = arrow::schema({field->WithName(kColumn)});
    }
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    *batch = nullptr;
    if (stream_.release == nullptr) return arrow::Status::OK();
    ArrowArray array;
    ARROW_RETURN_NOT_OK(Explain(stream_.get_next(&stream_, &array)));
    if (array.release == nullptr) return Close();
    ARROW_ASSIGN_OR_RAISE(const auto imported, arrow::ImportArray(&array, type_));
    return RowsOfArray(imported, schema_).Value(batch);
  }

  arrow::Status Close() override {
    if (stream_.release != nullptr) stream_.release(&stream_);
    stream_.release = nullptr;
    return arrow::Status::OK();
  }

 private:
  arrow::Status Explain(int code) {
    if (code == 0) return arrow::Status::OK();
    const char* const reason = stream_.get_last_error(&stream_);
    const std::string message = reason == nullptr ? std::strerror(code) : WithoutKind(reason);
    if (code == ECANCELED) return arrow::Status::Cancelled(message);
    if (code == ENOMEM) return arrow::Status::OutOfMemory(message);
    if (code == EINVAL) return arrow::Status::Invalid(message);
    return arrow::Status::IOError(message);
  }

  ArrowArrayStream stream_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::DataType> type_;
};

// A stream that is handed out. Arrow's own exporter lets exceptions through to a caller in C, and
// puts the kind of an error before its message ("Invalid: ...").
struct GivenStream {
  std::shared_ptr<arrow::RecordBatchReader> rows;
  std::string error;

  // Runs the body of a callback, and keeps the message of what went wrong.
  template <typename Work>
  static int Call(ArrowArrayStream* stream, Work work) noexcept {
    auto& self = *static_cast<GivenStream*>(stream->private_data);
    try {
      const arrow::Status status =
          CatchExceptions([&]() -> arrow::Status { return work(*self.rows); });
      if (status.ok()) return 0;
      self.error = InCallWords(MessageOf(status));
      if (status.IsCancelled()) return ECANCELED;
      if (status.IsOutOfMemory()) return ENOMEM;
      if (status.IsIOError()) return EIO;
      return EINVAL;
    } catch (...) {
      self.error.clear();
      return ENOMEM;
    }
  }

  static int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
    return Call(stream, [&](const arrow::RecordBatchReader& rows) {
      return arrow::ExportSchema(*rows.schema(), out);
    });
  }
  static int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
    return Call(stream, [&](arrow::RecordBatchReader& rows) -> arrow::Status {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(rows.ReadNext(&batch));
      if (batch != nullptr) return arrow::ExportRecordBatch(*batch, out);
      out->release = nullptr;
      return arrow::Status::OK();
    });
  }
  static const char* GetLastError(ArrowArrayStream* stream) {
    const std::string& error = static_cast<GivenStream*>(stream->private_data)->error;
    return error.empty() ? nullptr : error.c_str();
  }
  static void Release(ArrowArrayStream* stream) {
    delete static_cast<GivenStream*>(stream->private_data);
    stream->release = nullptr;
  }
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatch>> RowsOfArray(
    const std::shared_ptr<arrow::Array>& array, const std::shared_ptr<arrow::Schema>& schema) {
  if (array->type_id() != arrow::Type::STRUCT) {
    return arrow::RecordBatch::Make(schema, array->length(), {array});
  }
  // Flattening moves the struct's offset and nulls into its fields.
  ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector columns,
                        static_cast<const arrow::StructArray&>(*array).Flatten());
  return arrow::RecordBatch::Make(schema, array->length(), std::move(columns));
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> TakeStream(ArrowArrayStream* stream,
                                                                    const char* name) {
  if (stream == nullptr || stream->release == nullptr) {
    return arrow::Status::Invalid("`", name,
                                  "`: expected a stream but found NULL or a released one");
  }
  const ArrowArrayStream taken = *stream;
  stream->release = nullptr;
  auto rows = std::make_shared<StreamRows>(taken);
  ARROW_RETURN_NOT_OK(rows->ReadSchema());
  return rows;
}

arrow::Status GiveStream(std::shared_ptr<arrow::RecordBatchReader> rows, ArrowArrayStream* out) {
  *out = ArrowArrayStream{};
  out->private_data = new GivenStream{std::move(rows), {}};
  out->get_schema = GivenStream::GetSchema;
  out->get_next = GivenStream::GetNext;
  out->get_last_error = GivenStream::GetLastError;
  out->release = GivenStream::Release;
  return arrow::Status::OK();
}

}  // namespace spuna::c
