#include "arrow_io/parquet_stream.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <map>
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
    if (options.only_embedding || !options.embedding.empty()) {
      ARROW_ASSIGN_OR_RAISE(const int column,
                            FindEmbeddingColumn(schema, options.embedding, opened.parquet->name()));
      if (options.only_embedding) opened.columns = {column};
    }
    if (options.only_embedding) {
      opened.schema = arrow::schema({schema.field(opened.columns[0])}, schema.metadata());
    } else {
      opened.hive = HiveColumns(file, schema);
      opened.schema = ColumnsInStream(file, schema).schema;
    }
    return opened;
  }
};

class ParquetStream : public arrow::RecordBatchReader {
 public:
  ParquetStream(InputFiles input, ParquetStreamOptions options, OpenFile first,
                std::shared_ptr<arrow::Schema> schema)
      : input_(std::move(input)),
        options_(std::move(options)),
        schema_(std::move(schema)),
        file_(std::move(first)) {
    if (options_.only_embedding) options_.embedding = schema_->field(0)->name();
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    while (true) {
      if (!file_) {
        if (next_file_ == input_.files.size()) return arrow::Status::OK();
        ARROW_ASSIGN_OR_RAISE(file_, OpenFile::Open(input_.files[next_file_], options_));
      }
      if (!cursor_) cursor_.emplace(file_->parquet->Read(file_->columns));
      ARROW_ASSIGN_OR_RAISE(const ParquetInput::Batch batch, cursor_->Next());
      if (batch.rows != nullptr) return Arrange(*batch.rows).Value(out);
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
  // The rows of a file in the columns of the stream.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Arrange(const arrow::RecordBatch& rows) const {
    arrow::ArrayVector found = rows.columns();
    ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector keys, file_->hive.Arrays(rows.num_rows()));
    found.insert(found.end(), keys.begin(), keys.end());
    const arrow::Schema& has = *file_->schema;
    if (has.Equals(*schema_, /*check_metadata=*/false)) {
      return arrow::RecordBatch::Make(schema_, rows.num_rows(), std::move(found));
    }
    arrow::ArrayVector columns;
    for (const auto& field : schema_->fields()) {
      const std::vector<int> at = has.GetAllFieldIndices(field->name());
      if (at.size() == 1 && has.field(at[0])->type()->Equals(field->type())) {
        columns.push_back(found[static_cast<std::size_t>(at[0])]);
      } else if (at.empty()) {
        ARROW_ASSIGN_OR_RAISE(columns.emplace_back(),
                              arrow::MakeArrayOfNull(field->type(), rows.num_rows()));
      } else {
        return arrow::Status::Invalid(file_->parquet->name(), ": column '", field->name(),
                                      "': expected ", field->type()->ToString(),
                                      " as before; did the file change meanwhile?");
      }
    }
    return arrow::RecordBatch::Make(schema_, rows.num_rows(), std::move(columns));
  }

  InputFiles input_;
  ParquetStreamOptions options_;
  std::shared_ptr<arrow::Schema> schema_;
  std::size_t next_file_ = 0;
  std::optional<OpenFile> file_;
  // Refers to the file, so it goes first.
  std::optional<ParquetInput::Cursor> cursor_;
};

// The columns of all files, of which the first is open.
arrow::Result<std::shared_ptr<arrow::Schema>> ReadColumns(const InputFiles& input,
                                                          const ParquetStreamOptions& options,
                                                          const OpenFile& first) {
  if (options.only_embedding) return first.schema;
  std::vector<FileColumns> columns = {{first.parquet->name(), first.schema}};
  const auto embedding = FindEmbeddingColumn(*first.parquet->schema(), options.embedding, "");
  for (std::size_t i = 1; i < input.files.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const OpenFile file, OpenFile::Open(input.files[i], options));
    // Null there would mean rows without a valid embedding.
    if (embedding.ok()) {
      ARROW_RETURN_NOT_OK(FindEmbeddingColumn(*file.parquet->schema(),
                                              first.schema->field(*embedding)->name(),
                                              file.parquet->name())
                              .status());
    }
    columns.push_back({file.parquet->name(), file.schema});
  }
  return UniteColumns(columns);
}

}  // namespace

FileColumns ColumnsInStream(const InputFile& file, const arrow::Schema& schema) {
  arrow::FieldVector fields = schema.fields();
  for (const auto& field : HiveColumns(file, schema).Fields()) fields.push_back(field);
  return {file.name, arrow::schema(std::move(fields), schema.metadata())};
}

arrow::Result<std::shared_ptr<arrow::Schema>> UniteColumns(const std::vector<FileColumns>& files) {
  if (files.empty()) return arrow::Status::Invalid("there is no file to read");
  const FileColumns& first = files.front();
  std::shared_ptr<arrow::Schema> united = first.schema;
  // The file that brought each column.
  std::map<std::string, std::string> brought_by;
  for (const auto& field : united->fields()) brought_by[field->name()] = first.name;
  for (const FileColumns& file : files) {
    if (file.schema->Equals(*united, /*check_metadata=*/false)) continue;
    for (const auto& field : file.schema->fields()) {
      const std::vector<int> known = united->GetAllFieldIndices(field->name());
      if (known.size() > 1 || file.schema->GetAllFieldIndices(field->name()).size() > 1) {
        return arrow::Status::Invalid(file.name, ": column '", field->name(),
                                      "': expected it once, since files with other columns are ",
                                      "joined by name, but found it several times");
      }
      if (known.empty()) {
        ARROW_ASSIGN_OR_RAISE(united,
                              united->AddField(united->num_fields(), field->WithNullable(true)));
        brought_by[field->name()] = file.name;
      } else if (!united->field(known[0])->type()->Equals(field->type())) {
        return arrow::Status::Invalid(file.name, ": column '", field->name(), "': expected ",
                                      united->field(known[0])->type()->ToString(), " as in ",
                                      brought_by[field->name()], " but found ",
                                      field->type()->ToString());
      }
    }
    for (int i = 0; i < united->num_fields(); ++i) {
      const auto& field = united->field(i);
      const auto own = file.schema->GetFieldByName(field->name());
      if (field->nullable() || (own != nullptr && !own->nullable())) continue;
      ARROW_ASSIGN_OR_RAISE(united, united->SetField(i, field->WithNullable(true)));
    }
  }
  return united;
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> StreamParquet(
    const InputFiles& input, const ParquetStreamOptions& options,
    std::shared_ptr<arrow::Schema> schema) {
  if (input.files.empty()) return arrow::Status::Invalid("there is no file to read");
  ARROW_ASSIGN_OR_RAISE(OpenFile first, OpenFile::Open(input.files.front(), options));
  if (schema == nullptr) {
    ARROW_ASSIGN_OR_RAISE(schema, ReadColumns(input, options, first));
  }
  return std::make_shared<ParquetStream>(input, options, std::move(first), std::move(schema));
}

}  // namespace spuna::arrow_io
