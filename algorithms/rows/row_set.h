// Inlined into loops: no source file.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// Rows of one dimension that lie anywhere in memory: those of several matrices, or some of one,
/// without a copy. Owns the list of rows, not the rows.
class RowSet {
 public:
  explicit RowSet(std::size_t dimension) : dimension_(dimension) {}
  /// All rows of a matrix.
  RowSet(const EmbeddingsView& rows) : dimension_(rows.dimension) { Add(rows); }

  std::size_t size() const { return rows_.size(); }
  std::size_t dimension() const { return dimension_; }
  const float* operator[](std::size_t i) const { return rows_[i]; }
  /// Where the rows lie, from this one on.
  const float* const* From(std::size_t i) const { return rows_.data() + i; }

  void Add(const float* row) { rows_.push_back(row); }
  void Add(const EmbeddingsView& rows) {
    for (std::size_t i = 0; i < rows.num_rows; ++i) Add(rows.row(i));
  }

 private:
  std::size_t dimension_;
  std::vector<const float*> rows_;
};

}  // namespace spuna::algorithms
