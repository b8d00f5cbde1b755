#include "pipelines/appended_columns.h"

#include <arrow/array.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <set>
#include <utility>

namespace spuna {

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

arrow::Result<std::shared_ptr<arrow::RecordBatch>> AppendColumns(
    const arrow::RecordBatch& batch, const std::shared_ptr<arrow::Schema>& schema,
    const arrow::ArrayVector& columns, const std::shared_ptr<arrow::BooleanArray>& selected) {
  arrow::ArrayVector all = batch.columns();
  all.insert(all.end(), columns.begin(), columns.end());
  auto rows = arrow::RecordBatch::Make(schema, batch.num_rows(), std::move(all));
  if (selected == nullptr) return rows;
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum filtered,
                        arrow::compute::Filter(arrow::Datum(rows), arrow::Datum(selected)));
  return filtered.record_batch();
}

}  // namespace spuna
