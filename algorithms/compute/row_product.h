#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace spuna::algorithms {

/// Products of rows with weights, a block of rows at a time. What a row gets does not depend on the
/// rows beside it, nor on how many there are. The blocks' owner must hold a SingleThreadedBlas.
class RowProduct {
 public:
  static constexpr std::size_t kRowsPerBlock = 304;

  RowProduct(std::size_t dimension, std::size_t num_outputs)
      : dimension_(dimension), num_outputs_(num_outputs) {}

  /// The memory for a block of at most `kRowsPerBlock` rows, one after the other.
  float* Inputs(std::size_t count);

  /// Multiplies the rows that were put there. The weights of each output follow each other; a bias
  /// is added to each, where there are any.
  void Multiply(std::span<const float> weights, std::span<const float> biases);

  /// One output of all rows of the block.
  const float* Output(std::size_t output) const;

 private:
  std::size_t dimension_;
  std::size_t num_outputs_;
  std::size_t num_filled_ = 0;
  std::vector<float> inputs_;
  std::vector<float> outputs_;
};

}  // namespace spuna::algorithms
