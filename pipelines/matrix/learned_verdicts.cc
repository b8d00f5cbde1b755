#include "pipelines/matrix/learned_verdicts.h"

#include <algorithm>

namespace spuna {
namespace {

using algorithms::RowVerdict;
using algorithms::RowVerdicts;

void Append(const FileReviews* reviews, std::span<const std::int64_t> rows, RowVerdicts& to) {
  for (const std::int64_t row : rows) {
    to.push_back(RowVerdict::kNone);
    if (reviews == nullptr) continue;
    const auto found = reviews->find(row);
    if (found != reviews->end()) to.back() = LearnedVerdict(found->second);
  }
}

// Empty where nothing was said.
RowVerdicts IfAny(RowVerdicts verdicts) {
  const bool has_any = std::ranges::any_of(
      verdicts, [](RowVerdict verdict) { return verdict != RowVerdict::kNone; });
  return has_any ? verdicts : RowVerdicts();
}

}  // namespace

RowVerdicts LearnedVerdicts(const Source& source, const PlacedReviews* reviews,
                            const RowSample& valid_rows) {
  RowVerdicts verdicts;
  if (reviews == nullptr) return verdicts;
  for (std::size_t file = 0; file < valid_rows.rows.size(); ++file) {
    Append(reviews->Of(source.files()[file]), valid_rows.rows[file], verdicts);
  }
  return IfAny(std::move(verdicts));
}

RowVerdicts LearnedVerdicts(const PlacedReviews& reviews,
                            std::span<const std::int64_t> valid_rows) {
  RowVerdicts verdicts;
  Append(reviews.Of(std::string()), valid_rows, verdicts);
  return IfAny(std::move(verdicts));
}

void AddReviewedRows(const Source& source, const PlacedReviews* reviews, RowSample& sample) {
  if (reviews == nullptr) return;
  for (std::size_t file = 0; file < sample.rows.size(); ++file) {
    const FileReviews* const of_file = reviews->Of(source.files()[file]);
    if (of_file == nullptr || source.IsBad(file)) continue;
    std::vector<std::int64_t>& rows = sample.rows[file];
    std::vector<std::int64_t> added;
    for (const auto& [row, review] : *of_file) {
      if (!std::ranges::binary_search(rows, row)) added.push_back(row);
    }
    sample.num_rows += static_cast<std::int64_t>(added.size());
    rows.insert(rows.end(), added.begin(), added.end());
    std::ranges::sort(rows);
  }
}

arrow::Status AddOutsideRows(const std::vector<ReviewedRow>& rows, const FitOptions& options,
                             FitInput& pool) {
  if (rows.empty()) return arrow::Status::OK();
  if (!options.stratify.empty() || !options.fold_by.empty()) {
    return arrow::Status::Invalid("`reviewed`: ", rows.front().where,
                                  ": a row that is not in the pool has no class and no group, "
                                  "which `stratify` and `fold-by` need; leave such rows out");
  }
  pool.verdicts.resize(static_cast<std::size_t>(pool.rows.num_rows()), RowVerdict::kNone);
  for (const ReviewedRow& row : rows) {
    if (static_cast<std::int64_t>(row.embedding.size()) != pool.rows.dimension) {
      return arrow::Status::Invalid("`reviewed`: ", row.where, ": expected an embedding of ",
                                    pool.rows.dimension, " numbers, as the pool has, but found ",
                                    row.embedding.size());
    }
    pool.rows.values.insert(pool.rows.values.end(), row.embedding.begin(), row.embedding.end());
    pool.rows.valid.push_back(1);
    pool.verdicts.push_back(row.answer == Answer::kShifted ? RowVerdict::kShifted
                                                           : RowVerdict::kClean);
    if (!pool.ids.empty()) pool.ids.push_back(row.id.value_or(row.where));
  }
  pool.num_outside = static_cast<std::int64_t>(rows.size());
  return arrow::Status::OK();
}

}  // namespace spuna
