#include "pipelines/fit/learned_rows.h"

#include "algorithms/rows/duplicate_rows.h"

namespace spuna {

LearnedRows::LearnedRows(const FitInput& given, Recipe recipe)
    : given_(given), chosen_(algorithms::DistinctRows(given.rows.view())) {
  num_repeated_ = given.rows.num_rows() - static_cast<std::int64_t>(chosen_.size());
  if (num_repeated_ > 0 && recipe != Recipe::kPaper) distinct_ = given.Select(chosen_);
}

std::int64_t LearnedRows::NumberOf(std::uint32_t row) const {
  std::int64_t left = distinct_ ? chosen_[row] : row;
  std::int64_t number = 0;
  while (given_.rows.valid[static_cast<std::size_t>(number)] == 0 || left-- > 0) ++number;
  return number;
}

void LearnedRows::Describe(FitSummary& summary) const {
  summary.rows_trusted = given_.rows.num_rows();
  summary.rows_invalid_trusted = given_.rows.num_invalid;
  summary.rows_trusted_repeated = num_repeated_;
}

}  // namespace spuna
