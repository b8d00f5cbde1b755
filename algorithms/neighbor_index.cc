#include "algorithms/neighbor_index.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "algorithms/neighbor_index_internal.h"

namespace spuna::algorithms {
namespace {

// Up to here the tree is at least as fast as the product (bench/neighbor_index).
constexpr std::size_t kMaxTreeDimension = 6;

}  // namespace

SearchKind ResolveSearch(SearchKind kind, std::size_t dimension) {
  if (kind != SearchKind::kAuto) return kind;
  return dimension <= kMaxTreeDimension ? SearchKind::kKdTree : SearchKind::kProduct;
}

std::unique_ptr<NeighborIndex> MakeNeighborIndex(SearchKind kind, const EmbeddingsView& embeddings,
                                                 std::span<const std::uint32_t> rows) {
  BankRows bank(embeddings, rows);
  return ResolveSearch(kind, embeddings.dimension) == SearchKind::kKdTree
             ? MakeKdTreeIndex(std::move(bank))
             : MakeProductIndex(std::move(bank));
}

std::unique_ptr<NeighborIndex> MakeNeighborIndex(SearchKind kind,
                                                 const EmbeddingsView& embeddings) {
  return MakeNeighborIndex(kind, embeddings, AllRows(embeddings.num_rows));
}

RowNumbers AllRows(std::size_t count) {
  RowNumbers rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

BankRows::BankRows(const EmbeddingsView& embeddings, std::span<const std::uint32_t> rows)
    : num_rows_(rows.size()),
      dimension_(embeddings.dimension),
      values_(rows.size() * embeddings.dimension) {
  float largest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    float* const copy = values_.data() + i * dimension_;
    std::memcpy(copy, embeddings.row(rows[i]), dimension_ * sizeof(float));
    for (std::size_t j = 0; j < dimension_; ++j) largest = std::max(largest, std::abs(copy[j]));
  }
  // The exponent is kept where both the scale and its inverse are normal numbers.
  if (largest > 0) scale_ = std::ldexp(1.0F, -std::clamp(std::ilogb(largest) + 1, -120, 120));
}

void BankRows::MergeExact(const float* query, std::span<const std::uint32_t> bank_rows,
                          std::size_t list, std::vector<double>& scratch,
                          NearestDistances& lists) const {
  scratch.clear();
  for (const std::uint32_t row : bank_rows) {
    scratch.push_back(SquaredDistance(query, view().row(row), dimension_));
  }
  lists.Merge(list, scratch);
}

void BankRows::MergeAll(const float* query, std::int64_t left_out, std::size_t list,
                        std::vector<double>& scratch, NearestDistances& lists) const {
  RowNumbers others = AllRows(num_rows_);
  if (left_out >= 0) others.erase(others.begin() + left_out);
  MergeExact(query, others, list, scratch, lists);
}

}  // namespace spuna::algorithms
