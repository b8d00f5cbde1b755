#include "arrow_io/hive_columns.h"

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

namespace spuna::arrow_io {

HiveColumns::HiveColumns(const InputFile& file, const arrow::Schema& schema) {
  for (const auto& key : file.partitions) {
    if (schema.GetAllFieldIndices(key.first).empty()) keys_.push_back(key);
  }
}

arrow::FieldVector HiveColumns::Fields() const {
  arrow::FieldVector fields;
  for (const auto& [key, value] : keys_) fields.push_back(arrow::field(key, arrow::utf8()));
  return fields;
}

arrow::Result<arrow::ArrayVector> HiveColumns::Arrays(std::int64_t num_rows) const {
  arrow::ArrayVector arrays;
  for (const auto& [key, value] : keys_) {
    ARROW_ASSIGN_OR_RAISE(arrays.emplace_back(),
                          arrow::MakeArrayFromScalar(arrow::StringScalar(value), num_rows));
  }
  return arrays;
}

}  // namespace spuna::arrow_io
