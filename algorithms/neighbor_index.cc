#include "algorithms/neighbor_index.h"

#include <utility>

#include "algorithms/neighbor_index_internal.h"

namespace spuna::algorithms {
namespace {

// Up to here the tree is at least as fast as the product (bench/neighbor_index_bench.cc).
constexpr std::size_t kMaxTreeDimension = 4;

}  // namespace

SearchKind ResolveSearch(SearchKind kind, std::size_t dimension) {
  if (kind != SearchKind::kAuto) return kind;
  return dimension <= kMaxTreeDimension ? SearchKind::kKdTree : SearchKind::kProduct;
}

std::unique_ptr<NeighborIndex> MakeNeighborIndex(SearchKind kind, const EmbeddingsView& embeddings,
                                                 std::span<const std::uint32_t> rows) {
  BankRows bank(embeddings, {rows.begin(), rows.end()});
  return ResolveSearch(kind, embeddings.dimension) == SearchKind::kKdTree
             ? MakeKdTreeIndex(std::move(bank))
             : MakeProductIndex(std::move(bank));
}

std::unique_ptr<NeighborIndex> MakeNeighborIndex(SearchKind kind,
                                                 const EmbeddingsView& embeddings) {
  return MakeNeighborIndex(kind, embeddings, AllRows(embeddings.num_rows));
}

}  // namespace spuna::algorithms
