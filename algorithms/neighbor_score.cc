#include "algorithms/neighbor_score.h"

#include <algorithm>
#include <limits>

namespace spuna::algorithms {

NeighborScorer::NeighborScorer(const EmbeddingsView& clean_bank, const EmbeddingsView& shifted_bank,
                               std::size_t num_neighbors, SearchKind search)
    : num_clean_neighbors_(std::min(num_neighbors, clean_bank.num_rows)),
      num_shifted_neighbors_(std::min(num_neighbors, shifted_bank.num_rows)),
      clean_(MakeNeighborIndex(search, clean_bank)),
      shifted_(MakeNeighborIndex(search, shifted_bank)) {}

std::vector<double> NeighborScorer::Score(const EmbeddingsView& rows,
                                          const Execution& execution) const {
  return Score(rows, {}, {}, execution);
}

std::vector<double> NeighborScorer::ScorePool(const EmbeddingsView& pool,
                                              const Expansion& expansion,
                                              std::size_t num_trusted_rows,
                                              const Execution& execution) const {
  std::vector<std::int64_t> left_out_clean(pool.num_rows, -1);
  std::vector<std::int64_t> left_out_shifted(pool.num_rows, -1);
  auto next_clean = static_cast<std::int64_t>(num_trusted_rows);
  std::int64_t next_shifted = 0;
  for (std::size_t i = 0; i < pool.num_rows; ++i) {
    if (expansion.labels[i] == PseudoLabel::kClean) left_out_clean[i] = next_clean++;
    if (expansion.labels[i] == PseudoLabel::kShifted) left_out_shifted[i] = next_shifted++;
  }
  return Score(pool, left_out_clean, left_out_shifted, execution);
}

std::vector<double> NeighborScorer::Score(const EmbeddingsView& rows,
                                          std::span<const std::int64_t> left_out_clean,
                                          std::span<const std::int64_t> left_out_shifted,
                                          const Execution& execution) const {
  const RowNumbers all = AllRows(rows.num_rows);
  NearestDistances to_clean(rows.num_rows, num_clean_neighbors_);
  NearestDistances to_shifted(rows.num_rows, num_shifted_neighbors_);
  clean_->MergeNearest({rows, all, left_out_clean}, execution, to_clean);
  shifted_->MergeNearest({rows, all, left_out_shifted}, execution, to_shifted);
  std::vector<double> scores(rows.num_rows);
  for (std::size_t i = 0; i < rows.num_rows; ++i) scores[i] = to_clean.Mean(i) - to_shifted.Mean(i);
  return scores;
}

std::vector<float> RoundToFloats(const std::vector<double>& scores) {
  static constexpr double kLargest = std::numeric_limits<float>::max();
  std::vector<float> rounded(scores.size());
  std::ranges::transform(scores, rounded.begin(), [](double score) {
    return static_cast<float>(std::clamp(score, -kLargest, kLargest));
  });
  return rounded;
}

}  // namespace spuna::algorithms
