#include "pipelines/source/named_column.h"

#include <arrow/array.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <algorithm>

#include "arrow_io/embedding_column.h"
#include "arrow_io/parquet_input.h"

namespace spuna {
namespace {

// Values as text; a dictionary's by its entries.
arrow::Result<std::shared_ptr<arrow::Array>> TextsOf(const std::shared_ptr<arrow::Array>& values) {
  if (values->type_id() != arrow::Type::DICTIONARY) {
    return arrow::compute::Cast(*values, arrow::utf8());
  }
  const auto& coded = static_cast<const arrow::DictionaryArray&>(*values);
  ARROW_ASSIGN_OR_RAISE(const auto entries, TextsOf(coded.dictionary()));
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum taken, arrow::compute::Take(entries, coded.indices()));
  return taken.make_array();
}

}  // namespace

arrow::Result<NamedColumn> NamedColumn::Find(
    const arrow::Schema& schema, const std::string& input,
    const std::vector<std::pair<std::string, std::string>>& hive_keys, const std::string& name,
    const std::string& option) {
  ARROW_ASSIGN_OR_RAISE(std::optional<NamedColumn> column,
                        FindIfThere(schema, input, hive_keys, name));
  if (column) return *std::move(column);
  return arrow::Status::Invalid(input, ": there is no column '", name, "' as `", option,
                                "` says; its columns are ",
                                arrow_io::QuotedNames(schema, arrow_io::AllColumns(schema)));
}

arrow::Result<std::optional<NamedColumn>> NamedColumn::FindIfThere(
    const arrow::Schema& schema, const std::string& input,
    const std::vector<std::pair<std::string, std::string>>& hive_keys, const std::string& name) {
  NamedColumn column;
  column.name = name;
  column.where = "column '" + name + "' of " + input;
  const std::vector<int> named = schema.GetAllFieldIndices(name);
  if (named.size() > 1) {
    return arrow::Status::Invalid(input, ": ", named.size(), " columns are called '", name,
                                  "'; rename all but one");
  }
  if (named.size() == 1) {
    column.position = named[0];
    return column;
  }
  for (const auto& [key, value] : hive_keys) {
    if (key != name) continue;
    column.hive_value = value;
    return column;
  }
  return std::nullopt;
}

arrow::Status NamedColumn::CheckNumbers(const arrow::Schema& schema,
                                        const std::string& expected) const {
  if (position < 0) return arrow::Status::OK();
  const arrow::DataType& type = *schema.GetFieldByName(name)->type();
  if (arrow::is_numeric(type.id()) || type.id() == arrow::Type::BOOL) return arrow::Status::OK();
  return arrow::Status::Invalid(where, ": expected ", expected, " but found ", type.ToString());
}

arrow::Result<std::shared_ptr<arrow::DoubleArray>> NamedColumn::Numbers(
    const arrow::RecordBatch& batch, const std::string& expected) const {
  if (position >= 0) {
    ARROW_RETURN_NOT_OK(CheckNumbers(*batch.schema(), expected));
    const auto values = batch.GetColumnByName(name);
    ARROW_ASSIGN_OR_RAISE(
        auto doubles,
        arrow::compute::Cast(*values, arrow::float64(), arrow::compute::CastOptions::Unsafe()));
    return std::static_pointer_cast<arrow::DoubleArray>(doubles);
  }
  double value = hive_value == "true" ? 1 : 0;
  if (hive_value != "true" && hive_value != "false") {
    const auto parsed = arrow::Scalar::Parse(arrow::float64(), hive_value);
    if (!parsed.ok()) {
      return arrow::Status::Invalid(where, ": expected ", expected, " but found '", hive_value,
                                    "' in its path");
    }
    value = static_cast<const arrow::DoubleScalar&>(**parsed).value;
  }
  ARROW_ASSIGN_OR_RAISE(auto array,
                        arrow::MakeArrayFromScalar(arrow::DoubleScalar(value), batch.num_rows()));
  return std::static_pointer_cast<arrow::DoubleArray>(array);
}

bool HasTexts(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DICTIONARY) {
    return HasTexts(*static_cast<const arrow::DictionaryType&>(type).value_type());
  }
  // Bytes need not be text.
  const bool is_bytes = arrow::is_binary(type.id()) || arrow::is_fixed_size_binary(type.id()) ||
                        type.id() == arrow::Type::BINARY_VIEW;
  return !is_bytes && arrow::compute::CanCast(type, *arrow::utf8());
}

arrow::Result<std::shared_ptr<arrow::StringArray>> NamedColumn::Texts(
    const arrow::RecordBatch& batch) const {
  if (position < 0) {
    ARROW_ASSIGN_OR_RAISE(
        auto values, arrow::MakeArrayFromScalar(arrow::StringScalar(hive_value), batch.num_rows()));
    return std::static_pointer_cast<arrow::StringArray>(values);
  }
  const auto values = batch.GetColumnByName(name);
  const auto texts = TextsOf(values);
  if (!texts.ok()) {
    return arrow::Status::Invalid(where, ": expected text, numbers or dates but found ",
                                  values->type()->ToString());
  }
  return std::static_pointer_cast<arrow::StringArray>(*texts);
}

std::vector<int> Positions(const std::vector<const NamedColumn*>& columns) {
  std::vector<int> positions;
  for (const NamedColumn* column : columns) {
    if (column->position >= 0) positions.push_back(column->position);
  }
  std::ranges::sort(positions);
  const auto repeated = std::ranges::unique(positions);
  positions.erase(repeated.begin(), repeated.end());
  return positions;
}

}  // namespace spuna
