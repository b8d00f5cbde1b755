#include "pipelines/fit/learned_rows.h"

#include <utility>

#include "algorithms/rows/duplicate_rows.h"

namespace spuna {

LearnedRows::LearnedRows(const FitInput& given, Recipe recipe) : given_(given) {
  algorithms::RowNumbers distinct = algorithms::DistinctRows(given.rows.view());
  num_repeated_ = given.rows.num_rows() - static_cast<std::int64_t>(distinct.size());
  if (num_repeated_ > 0 && recipe != Recipe::kPaper) distinct_ = given.Select(std::move(distinct));
}

void LearnedRows::Describe(FitSummary& summary) const {
  summary.rows_trusted = given_.rows.num_rows();
  summary.rows_invalid_trusted = given_.rows.num_invalid;
  summary.rows_trusted_repeated = num_repeated_;
}

}  // namespace spuna
