#include "algorithms/neighbors/neighbor_index.h"

#include <algorithm>
#include <utility>

#include "algorithms/neighbors/neighbor_index_internal.h"

namespace spuna::algorithms {
namespace {

// The most dimensions in which the tree is the faster one; the more rows there are for a neighbor,
// the more of them it can pass over. Measured by scripts/bench (docs/performance.md).
std::size_t MaxTreeDimension(std::size_t num_bank_rows, std::size_t num_neighbors) {
  const std::size_t rows_per_neighbor = num_bank_rows / std::max<std::size_t>(num_neighbors, 1);
  if (rows_per_neighbor >= 4000) return 6;
  return rows_per_neighbor >= 400 ? 4 : 2;
}

}  // namespace

SearchKind ResolveSearch(SearchKind kind, std::size_t dimension, std::size_t num_bank_rows,
                         std::size_t num_neighbors) {
  if (kind != SearchKind::kAuto) return kind;
  return dimension <= MaxTreeDimension(num_bank_rows, num_neighbors) ? SearchKind::kKdTree
                                                                     : SearchKind::kProduct;
}

std::unique_ptr<NeighborIndex> MakeNeighborIndex(SearchKind kind, const EmbeddingsView& embeddings,
                                                 std::span<const std::uint32_t> rows,
                                                 std::size_t num_neighbors) {
  BankRows bank(embeddings, {rows.begin(), rows.end()});
  return ResolveSearch(kind, embeddings.dimension, rows.size(), num_neighbors) ==
                 SearchKind::kKdTree
             ? MakeKdTreeIndex(std::move(bank))
             : MakeProductIndex(std::move(bank));
}

std::unique_ptr<NeighborIndex> MakeNeighborIndex(SearchKind kind, const EmbeddingsView& embeddings,
                                                 std::size_t num_neighbors) {
  return MakeNeighborIndex(kind, embeddings, AllRows(embeddings.num_rows), num_neighbors);
}

}  // namespace spuna::algorithms
