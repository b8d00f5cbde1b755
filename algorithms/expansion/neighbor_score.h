#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/expansion/expansion.h"
#include "algorithms/neighbors/neighbor_index.h"
#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// The score without classifier against the banks of a finished expansion:
///
///     s(x) = d_P(x) - d_N(x)
///
/// with the mean distances to the k nearest rows of either bank. Unbounded; higher is more shifted.
class NeighborScorer {
 public:
  /// The banks must outlive it.
  NeighborScorer(const EmbeddingsView& clean_bank, const EmbeddingsView& shifted_bank,
                 std::size_t num_neighbors, SearchKind search);

  /// Scores rows that are in neither bank. May be called from several threads.
  std::vector<double> Score(const EmbeddingsView& rows, const Execution& execution) const;

 private:
  std::size_t num_clean_neighbors_;
  std::size_t num_shifted_neighbors_;
  std::unique_ptr<NeighborIndex> clean_;
  std::unique_ptr<NeighborIndex> shifted_;
};

/// Scores the pool rows that the banks are made of: a row that is in a bank leaves itself out (its
/// duplicates stay in). Not a number where a bank is then empty. Makes no copy of any row.
std::vector<double> ScorePoolByNeighbors(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                                         const Expansion& expansion, std::size_t num_neighbors,
                                         SearchKind search, const Execution& execution);

/// The scores in float32, at most its largest number.
std::vector<float> RoundToFloats(const std::vector<double>& scores);

}  // namespace spuna::algorithms
