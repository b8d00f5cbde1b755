#include "arrow_io/parquet_stream.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <optional>
#include <utility>
#include <vector>

#include "arrow_io/embedding_column.h"
#include "arrow_io/hive_columns.h"
#include "arrow_io/parquet_input.h"

namespace spuna::arrow_io {
namespace {

// One file of the stream, opened.
struct OpenFile {
  std::unique_ptr<ParquetInput> parquet;
  std::vector<int> columns;
  HiveColumns hive;
  std::shared_ptr<arrow::Schema> schema;

  static arrow::Result<OpenFile> Open(const InputFile& file, const ParquetStreamOptions& options) {
    OpenFile opened;
    ARROW_ASSIGN_OR_RAISE(opened.parquet, ParquetInput::Open(file));
    const arrow::Schema& schema = *opened.parquet->schema();
    opened.columns = AllColumns(schema);
    if (options.only_embedding) {
      ARROW_ASSIGN_OR_RAISE(const int column,
                            FindEmbeddingColumn(schema, options.embedding, opened.parquet->name()));
      opened.columns = {column};
    } else {
      opened.hive = HiveColumns(file, schema);
    }
    arrow::FieldVector fields;
    for (const int column : opened.columns) fields.push_back(schema.field(column));
    for (const auto& field : opened.hive.Fields()) fields.push_back(field);
    opened.schema = arrow::schema(std::move(fields), schema.metadata());
    return opened;
  }
};

class ParquetStream : public arrow::RecordBatchReader {
 public:
  ParquetStream(InputFiles input, ParquetStreamOptions options, OpenFile first)
      : input_(std::move(input)), options_(std::move(options)), file_(std::move(first)) {
    schema_ = file_->schema;
    first_name_ = file_->parquet->name();
    if (options_.only_embedding) options_.embedding = schema_->field(0)->name();
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    while (true) {
      if (!file_) {
        if (next_file_ == input_.files.size()) return arrow::Status::OK();
        ARROW_ASSIGN_OR_RAISE(OpenFile next, OpenFile::Open(input_.files[next_file_], options_));
        ARROW_RETURN_NOT_OK(CheckColumns(next));
        file_ = std::move(next);
      }
      if (!cursor_) cursor_.emplace(file_->parquet->Read(file_->columns));
      ARROW_ASSIGN_OR_RAISE(const ParquetInput::Batch batch, cursor_->Next());
      if (batch.rows != nullptr) {
        arrow::ArrayVector columns = batch.rows->columns();
        ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector keys,
                              file_->hive.Arrays(batch.rows->num_rows()));
        columns.insert(columns.end(), keys.begin(), keys.end());
        *out = arrow::RecordBatch::Make(schema_, batch.rows->num_rows(), std::move(columns));
        return arrow::Status::OK();
      }
      cursor_.reset();
      file_.reset();
      ++next_file_;
    }
  }

  arrow::Status Close() override {
    cursor_.reset();
    file_.reset();
    next_file_ = input_.files.size();
    return arrow::Status::OK();
  }

 private:
  arrow::Status CheckColumns(const OpenFile& file) const {
    if (file.schema->Equals(*schema_, /*check_metadata=*/false)) return arrow::Status::OK();
    return arrow::Status::Invalid(
        file.parquet->name(), ": expected the columns of ", first_name_,
        ", since all rows go to one stream: ", schema_->ToString(/*show_metadata=*/false),
        "\nbut found ", file.schema->ToString(/*show_metadata=*/false));
  }

  InputFiles input_;
  ParquetStreamOptions options_;
  std::shared_ptr<arrow::Schema> schema_;
  std::string first_name_;
  std::size_t next_file_ = 0;
  std::optional<OpenFile> file_;
  // Refers to the file, so it goes first.
  std::optional<ParquetInput::Cursor> cursor_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> StreamParquet(
    const InputFiles& input, const ParquetStreamOptions& options) {
  ARROW_ASSIGN_OR_RAISE(OpenFile first, OpenFile::Open(input.files.front(), options));
  return std::make_shared<ParquetStream>(input, options, std::move(first));
}

}  // namespace spuna::arrow_io
