#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/rows/embeddings_view.h"
#include "tests/support/reference.h"

namespace spuna::test {

/// A float32 matrix that owns its values.
struct Matrix {
  std::size_t num_rows = 0;
  std::size_t dimension = 0;
  std::vector<float> values;

  algorithms::EmbeddingsView view() const { return {values.data(), num_rows, dimension}; }
  float* row(std::size_t i) { return values.data() + i * dimension; }
  /// The same rows for a reference.
  Rows rows() const;
};

/// Normal rows around `mean`, of the given spread.
Matrix RandomRows(std::size_t num_rows, std::size_t dimension, std::uint64_t seed, double mean = 0,
                  double spread = 1);

/// Rows that are hard on a search: duplicates, a constant dimension, and some rows a hundred times
/// as long as the rest.
Matrix HardRows(std::size_t num_rows, std::size_t dimension, std::uint64_t seed);

/// A pool whose odd rows are shifted by `shift` in every dimension.
Matrix ShiftedPool(std::size_t num_rows, std::size_t dimension, std::uint64_t seed, double shift);

}  // namespace spuna::test
