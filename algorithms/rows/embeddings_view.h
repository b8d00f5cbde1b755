// Plain data: no source file.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace spuna::algorithms {

/// Rows of one dimension in memory, one embedding after the other.
///
/// This is the byte order of an Arrow fixed-size list and, read as columns, Armadillo's layout of a
/// `dimension` x `num_rows` matrix. The view owns nothing; the memory must outlive it.
struct EmbeddingsView {
  const float* data = nullptr;
  std::size_t num_rows = 0;
  std::size_t dimension = 0;

  const float* row(std::size_t i) const { return data + i * dimension; }
  std::span<const float> values() const { return {data, num_rows * dimension}; }
};

/// Rows that own their memory.
struct Matrix {
  std::vector<float> values;
  std::size_t dimension = 0;

  std::size_t num_rows() const { return dimension == 0 ? 0 : values.size() / dimension; }
  EmbeddingsView view() const { return {values.data(), num_rows(), dimension}; }
};

}  // namespace spuna::algorithms
