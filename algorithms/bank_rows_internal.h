#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/embeddings_view.h"
#include "algorithms/nearest_distances.h"
#include "algorithms/ranking.h"

namespace spuna::algorithms {

/// A copy of bank rows, from which candidates are measured exactly.
class BankRows {
 public:
  BankRows(const EmbeddingsView& embeddings, std::span<const std::uint32_t> rows);

  EmbeddingsView view() const { return {values_.data(), num_rows_, dimension_}; }
  std::size_t num_rows() const { return num_rows_; }
  std::size_t dimension() const { return dimension_; }

  /// Merges the distances from `query` to the given bank rows into its list.
  void MergeDistances(const float* query, std::span<const std::uint32_t> bank_rows,
                      std::size_t list, std::vector<double>& scratch,
                      NearestDistances& lists) const;

 private:
  std::size_t num_rows_;
  std::size_t dimension_;
  std::vector<float> values_;
};

}  // namespace spuna::algorithms
