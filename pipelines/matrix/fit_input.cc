#include "pipelines/matrix/fit_input.h"

#include <arrow/record_batch.h>

#include <algorithm>

namespace spuna {

arrow::Status FitInput::Append(const arrow::RecordBatch& batch, InvalidRows invalid,
                               std::int64_t first_row) {
  return rows.Append(batch.GetColumnByName(column), invalid, {column, where, first_row});
}

void FitInput::AddRow(const FitInput& from, std::uint32_t row) {
  const float* const values = from.rows.view().row(row);
  rows.values.insert(rows.values.end(), values, values + from.rows.dimension);
  rows.valid.push_back(1);
  if (!from.classes.empty()) classes.push_back(from.classes[row]);
  if (!from.groups.empty()) groups.push_back(from.groups[row]);
  if (!from.ids.empty()) ids.push_back(from.ids[row]);
  if (!from.verdicts.empty()) verdicts.push_back(from.verdicts[row]);
  if (!from.numbers.empty()) numbers.push_back(from.numbers[row]);
}

FitInput FitInput::Select(algorithms::RowNumbers chosen) const {
  std::ranges::sort(chosen);
  FitInput some;
  some.column = column;
  some.where = where;
  some.rows.dimension = rows.dimension;
  for (const std::uint32_t row : chosen) some.AddRow(*this, row);
  return some;
}

}  // namespace spuna
