#include "algorithms/compute/row_product.h"

#include <cblas.h>

#include <algorithm>

namespace spuna::algorithms {
namespace {

// A product's rounding depends on where in OpenBLAS's tiles a row stands. Rows that lie along the
// tiles' long side, whole tiles of them, and not within the first or last half tile (the Haswell
// kernel starts and ends differently), all round alike. So a block has guard rows of zeros before
// and after, and the last one is filled up. With the guards a block is the longest product that no
// kernel cuts in two. Tried on the kernels for Prescott, Nehalem, Sandybridge, Haswell, Zen,
// SkylakeX and Cooperlake.
constexpr std::size_t kRowsPerTile = 16;
constexpr std::size_t kGuardRows = 8;
// Products up to this size may take another path in OpenBLAS.
constexpr std::size_t kSmallProduct = 1'000'000;

// How many rows to multiply for a block of `count` rows, guards included.
std::size_t FilledRows(std::size_t count, std::size_t num_weights) {
  auto filled = [](std::size_t rows) {
    return (rows + 2 * kGuardRows + kRowsPerTile - 1) / kRowsPerTile * kRowsPerTile;
  };
  const bool may_be_small = filled(count) * num_weights <= kSmallProduct;
  return filled(may_be_small ? RowProduct::kRowsPerBlock : count);
}

}  // namespace

float* RowProduct::Inputs(std::size_t count) {
  num_filled_ = FilledRows(count, num_outputs_ * dimension_);
  inputs_.resize(num_filled_ * dimension_);
  std::fill_n(inputs_.data(), kGuardRows * dimension_, 0.0F);
  std::fill(inputs_.begin() + static_cast<std::ptrdiff_t>((kGuardRows + count) * dimension_),
            inputs_.end(), 0.0F);
  return inputs_.data() + kGuardRows * dimension_;
}

void RowProduct::Multiply(std::span<const float> weights, std::span<const float> biases) {
  outputs_.resize(num_outputs_ * num_filled_);
  for (std::size_t output = 0; output < num_outputs_; ++output) {
    std::fill_n(outputs_.begin() + static_cast<std::ptrdiff_t>(output * num_filled_), num_filled_,
                biases.empty() ? 0.0F : biases[output]);
  }
  cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<blasint>(num_filled_),
              static_cast<blasint>(num_outputs_), static_cast<blasint>(dimension_), 1.0F,
              inputs_.data(), static_cast<blasint>(dimension_), weights.data(),
              static_cast<blasint>(dimension_), 1.0F, outputs_.data(),
              static_cast<blasint>(num_filled_));
}

const float* RowProduct::Output(std::size_t output) const {
  return outputs_.data() + output * num_filled_ + kGuardRows;
}

}  // namespace spuna::algorithms
