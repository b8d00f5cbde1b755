#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spuna::algorithms {

/// Rows of which only the upper half of every number is kept (bfloat16): the range of float32 and
/// two to three decimal digits, in half of the memory. Enough for what is learned with noise.
class HalfRows {
 public:
  HalfRows(std::size_t num_rows, std::size_t dimension)
      : dimension_(dimension), halves_(num_rows * dimension) {}

  std::size_t size() const { return dimension_ == 0 ? 0 : halves_.size() / dimension_; }
  std::size_t dimension() const { return dimension_; }

  /// Rounds to the nearest, ties to even. The values must be finite.
  void Set(std::size_t row, const float* values);
  void CopyTo(std::size_t row, float* values) const;

 private:
  std::size_t dimension_;
  std::vector<std::uint16_t> halves_;
};

}  // namespace spuna::algorithms
