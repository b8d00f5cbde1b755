#include "pipelines/fit/learned_rows.h"

#include <utility>

#include "algorithms/rows/duplicate_rows.h"

namespace spuna {

LearnedRows::LearnedRows(FitInput given, Recipe recipe)
    : rows_(std::move(given)), valid_(rows_.rows.valid), num_invalid_(rows_.rows.num_invalid) {
  algorithms::RowNumbers distinct = algorithms::DistinctRows(rows_.rows.view());
  num_repeated_ = rows_.rows.num_rows() - static_cast<std::int64_t>(distinct.size());
  if (num_repeated_ == 0 || recipe == Recipe::kPaper) return;
  rows_ = rows_.Select(distinct);
  chosen_ = std::move(distinct);
}

std::int64_t LearnedRows::NumberOf(std::uint32_t row) const {
  std::int64_t left = chosen_.empty() ? row : chosen_[row];
  std::int64_t number = 0;
  while (valid_[static_cast<std::size_t>(number)] == 0 || left-- > 0) ++number;
  return number;
}

void LearnedRows::Describe(FitSummary& summary) const {
  summary.rows_trusted = static_cast<std::int64_t>(valid_.size()) - num_invalid_;
  summary.rows_invalid_trusted = num_invalid_;
  summary.rows_trusted_repeated = num_repeated_;
}

}  // namespace spuna
