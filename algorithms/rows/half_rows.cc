#include "algorithms/rows/half_rows.h"

#include <bit>

namespace spuna::algorithms {

void HalfRows::Set(std::size_t row, const float* values) {
  std::uint16_t* const halves = halves_.data() + row * dimension_;
  for (std::size_t j = 0; j < dimension_; ++j) {
    const auto bits = std::bit_cast<std::uint32_t>(values[j]);
    halves[j] = static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  }
}

void HalfRows::CopyTo(std::size_t row, float* values) const {
  const std::uint16_t* const halves = halves_.data() + row * dimension_;
  for (std::size_t j = 0; j < dimension_; ++j) {
    values[j] = std::bit_cast<float>(static_cast<std::uint32_t>(halves[j]) << 16);
  }
}

}  // namespace spuna::algorithms
