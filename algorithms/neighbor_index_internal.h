#pragma once

#include <memory>
#include <vector>

#include "algorithms/neighbor_index.h"

namespace spuna::algorithms {

/// A copy of bank rows, with what both kinds of index need to search them in float32 and then to
/// measure the few candidates exactly.
class BankRows {
 public:
  BankRows(const EmbeddingsView& embeddings, std::span<const std::uint32_t> rows);

  EmbeddingsView view() const { return {values_.data(), num_rows(), dimension_}; }
  std::size_t num_rows() const { return num_rows_; }
  std::size_t dimension() const { return dimension_; }

  /// A power of two that brings the bank's values to at most 1, so that no float32 square
  /// overflows.
  float scale() const { return scale_; }

  /// Whether a query of this scaled squared norm can be searched in float32. Others, astronomically
  /// far from the bank, are measured against every row.
  static bool FitsFloat(double scaled_squared_norm) { return scaled_squared_norm < 1e30; }

  /// Merges the exact distances to the given bank rows.
  void MergeExact(const float* query, std::span<const std::uint32_t> bank_rows, std::size_t list,
                  std::vector<double>& scratch, NearestDistances& lists) const;
  /// The same for every bank row but `left_out`.
  void MergeAll(const float* query, std::int64_t left_out, std::size_t list,
                std::vector<double>& scratch, NearestDistances& lists) const;

 private:
  std::size_t num_rows_;
  std::size_t dimension_;
  std::vector<float> values_;
  float scale_ = 1;
};

std::unique_ptr<NeighborIndex> MakeKdTreeIndex(BankRows bank);
std::unique_ptr<NeighborIndex> MakeProductIndex(BankRows bank);

}  // namespace spuna::algorithms
