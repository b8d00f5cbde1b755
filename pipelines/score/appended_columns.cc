#include "pipelines/score/appended_columns.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <set>
#include <utility>

#include "arrow_io/parquet_input.h"

namespace spuna {
namespace {

// The selected rows of a column, for types that Arrow can't filter yet (string_view and others):
// the runs of selected rows, copied one after the other.
arrow::Result<std::shared_ptr<arrow::Array>> CopySelectedRuns(const arrow::Array& column,
                                                              const arrow::BooleanArray& selected) {
  if (column.type_id() == arrow::Type::EXTENSION) {
    const auto& storage = static_cast<const arrow::ExtensionArray&>(column).storage();
    ARROW_ASSIGN_OR_RAISE(auto copied, CopySelectedRuns(*storage, selected));
    return arrow::ExtensionType::WrapArray(column.type(), copied);
  }
  ARROW_ASSIGN_OR_RAISE(const auto builder, arrow::MakeBuilder(column.type()));
  const arrow::ArraySpan rows(*column.data());
  for (std::int64_t begin = 0; begin < column.length();) {
    std::int64_t end = begin;
    while (end < column.length() && selected.Value(end)) ++end;
    ARROW_RETURN_NOT_OK(builder->AppendArraySlice(rows, begin, end - begin));
    begin = end + 1;
  }
  return builder->Finish();
}

arrow::Result<std::shared_ptr<arrow::Array>> SelectRows(
    const std::shared_ptr<arrow::Array>& column,
    const std::shared_ptr<arrow::BooleanArray>& selected) {
  const auto filtered = arrow::compute::Filter(arrow::Datum(column), arrow::Datum(selected));
  if (filtered.status().IsNotImplemented()) return CopySelectedRuns(*column, *selected);
  ARROW_RETURN_NOT_OK(filtered.status());
  return filtered->make_array();
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Schema>> AppendFields(const arrow::Schema& schema,
                                                           const std::vector<int>& columns,
                                                           const arrow::FieldVector& appended,
                                                           const std::string& file) {
  arrow::FieldVector fields;
  std::set<std::string> names;
  for (const int column : columns) {
    fields.push_back(schema.field(column));
    names.insert(schema.field(column)->name());
  }
  for (const auto& field : appended) {
    if (!names.insert(field->name()).second) {
      return arrow::Status::Invalid(file, ": there is a column '", field->name(),
                                    "' already; choose other names with `prefix`");
    }
    fields.push_back(field);
  }
  return arrow::schema(std::move(fields), schema.metadata());
}

arrow::Result<std::shared_ptr<arrow::Schema>> AppendFields(const arrow::Schema& schema,
                                                           const arrow::FieldVector& appended,
                                                           const std::string& file) {
  return AppendFields(schema, arrow_io::AllColumns(schema), appended, file);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> AppendColumns(
    const arrow::RecordBatch& batch, const std::shared_ptr<arrow::Schema>& schema,
    const arrow::ArrayVector& columns, const std::shared_ptr<arrow::BooleanArray>& selected) {
  arrow::ArrayVector all = batch.columns();
  all.insert(all.end(), columns.begin(), columns.end());
  return MakeBatch(schema, batch.num_rows(), std::move(all), selected);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> MakeBatch(
    const std::shared_ptr<arrow::Schema>& schema, std::int64_t num_rows, arrow::ArrayVector columns,
    const std::shared_ptr<arrow::BooleanArray>& selected) {
  if (selected == nullptr) return arrow::RecordBatch::Make(schema, num_rows, std::move(columns));
  for (auto& column : columns) {
    ARROW_ASSIGN_OR_RAISE(column, SelectRows(column, selected));
  }
  return arrow::RecordBatch::Make(schema, selected->true_count(), std::move(columns));
}

}  // namespace spuna
