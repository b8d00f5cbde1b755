#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/neighbors/nearest_distances.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {

/// How neighbors are found. Both ways are exact and give the same distances.
enum class SearchKind {
  kAuto,     ///< whichever is faster for the dimension
  kKdTree,   ///< mlpack's KD-tree: few dimensions
  kProduct,  ///< blocked matrix products: many dimensions
};

/// Which rows to find neighbors for.
struct Queries {
  /// The matrix that the row numbers point into.
  EmbeddingsView embeddings;
  /// Query i is row `rows[i]`, and its distances go to list `rows[i]`.
  std::span<const std::uint32_t> rows;
  /// For query i, the bank row to leave out because it is the query itself, or -1. Empty: none.
  std::span<const std::int64_t> left_out = {};

  std::int64_t LeftOut(std::size_t query) const { return left_out.empty() ? -1 : left_out[query]; }
};

/// Bank rows that are ready to be searched. Immutable, so searches may run at the same time.
class NeighborIndex {
 public:
  virtual ~NeighborIndex() = default;

  /// Merges the distances from every query to its nearest bank rows into `lists`.
  virtual void MergeNearest(const Queries& queries, const Execution& execution,
                            NearestDistances& lists) const = 0;
};

/// The kind that kAuto stands for.
SearchKind ResolveSearch(SearchKind kind, std::size_t dimension, std::size_t num_bank_rows,
                         std::size_t num_neighbors);

/// Builds an index over the given rows of `embeddings`, of which there is at least one, to be
/// asked for that many neighbors. The embeddings must outlive it.
std::unique_ptr<NeighborIndex> MakeNeighborIndex(SearchKind kind, const EmbeddingsView& embeddings,
                                                 std::span<const std::uint32_t> rows,
                                                 std::size_t num_neighbors);
/// The same over all rows.
std::unique_ptr<NeighborIndex> MakeNeighborIndex(SearchKind kind, const EmbeddingsView& embeddings,
                                                 std::size_t num_neighbors);

}  // namespace spuna::algorithms
