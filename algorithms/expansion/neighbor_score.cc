#include "algorithms/expansion/neighbor_score.h"

#include <algorithm>
#include <limits>

namespace spuna::algorithms {
namespace {

std::vector<double> Differences(const NearestDistances& to_clean,
                                const NearestDistances& to_shifted) {
  std::vector<double> scores(to_clean.num_queries());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = to_clean.Mean(i) - to_shifted.Mean(i);
  return scores;
}

}  // namespace

NeighborScorer::NeighborScorer(const EmbeddingsView& clean_bank, const EmbeddingsView& shifted_bank,
                               std::size_t num_neighbors, SearchKind search)
    : num_clean_neighbors_(std::min(num_neighbors, clean_bank.num_rows)),
      num_shifted_neighbors_(std::min(num_neighbors, shifted_bank.num_rows)),
      clean_(MakeNeighborIndex(search, clean_bank, num_neighbors)),
      shifted_(MakeNeighborIndex(search, shifted_bank, num_neighbors)) {}

std::vector<double> NeighborScorer::Score(const EmbeddingsView& rows,
                                          const Execution& execution) const {
  const RowNumbers all = AllRows(rows.num_rows);
  NearestDistances to_clean(rows.num_rows, num_clean_neighbors_);
  NearestDistances to_shifted(rows.num_rows, num_shifted_neighbors_);
  clean_->MergeNearest({rows, all}, execution, to_clean);
  shifted_->MergeNearest({rows, all}, execution, to_shifted);
  return Differences(to_clean, to_shifted);
}

std::vector<double> ScorePoolByNeighbors(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                                         const Expansion& expansion, std::size_t num_neighbors,
                                         SearchKind search, const Execution& execution) {
  const RowNumbers all = AllRows(pool.num_rows);
  const RowNumbers clean = expansion.RowsWith(PseudoLabel::kClean);
  const RowNumbers shifted = expansion.RowsWith(PseudoLabel::kShifted);
  NearestDistances to_clean(pool.num_rows,
                            std::min(num_neighbors, trusted.num_rows + clean.size()));
  NearestDistances to_shifted(pool.num_rows, std::min(num_neighbors, shifted.size()));
  auto merge = [&](const EmbeddingsView& bank, const RowNumbers& rows,
                   std::span<const std::int64_t> left_out, NearestDistances& lists) {
    if (rows.empty()) return;
    MakeNeighborIndex(search, bank, rows, num_neighbors)
        ->MergeNearest({pool, all, left_out}, execution, lists);
  };
  // Where each pool row stands in the bank that it belongs to.
  auto places = [&](const RowNumbers& rows) {
    std::vector<std::int64_t> place(pool.num_rows, -1);
    for (std::size_t i = 0; i < rows.size(); ++i) place[rows[i]] = static_cast<std::int64_t>(i);
    return place;
  };
  merge(trusted, AllRows(trusted.num_rows), {}, to_clean);
  merge(pool, clean, places(clean), to_clean);
  merge(pool, shifted, places(shifted), to_shifted);
  return Differences(to_clean, to_shifted);
}

std::vector<float> RoundToFloats(const std::vector<double>& scores) {
  static constexpr double kLargestFloat = std::numeric_limits<float>::max();
  std::vector<float> rounded(scores.size());
  std::ranges::transform(scores, rounded.begin(), [](double score) {
    return static_cast<float>(std::clamp(score, -kLargestFloat, kLargestFloat));
  });
  return rounded;
}

}  // namespace spuna::algorithms
