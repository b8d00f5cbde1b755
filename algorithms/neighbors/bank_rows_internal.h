#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/neighbors/nearest_distances.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {

/// Some rows of a matrix as a bank, from which candidates are measured exactly. Copies nothing but
/// the row numbers.
class BankRows {
 public:
  BankRows(const EmbeddingsView& embeddings, RowNumbers rows)
      : embeddings_(embeddings), rows_(std::move(rows)) {}

  std::size_t num_rows() const { return rows_.size(); }
  std::size_t dimension() const { return embeddings_.dimension; }
  const float* row(std::size_t bank_row) const { return embeddings_.row(rows_[bank_row]); }

  /// Merges the distances from `query` to the given bank rows into its list.
  void MergeDistances(const float* query, std::span<const std::uint32_t> bank_rows,
                      std::size_t list, std::vector<double>& scratch,
                      NearestDistances& lists) const;

 private:
  EmbeddingsView embeddings_;
  RowNumbers rows_;
};

}  // namespace spuna::algorithms
