#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/reference.h"

namespace spuna::test {

struct DistillReferenceOptions {
  std::size_t hidden = 512;
  std::size_t epochs = 20;
  double learning_rate = 0.001;
  std::size_t batch_size = 128;
  std::uint64_t seed = 0;
};

/// Trains d -> hidden -> 2 in float64, one row and one weight at a time: standardized inputs, He
/// initialization, ReLU, softmax, mean cross-entropy over a batch, Adam. Returns the probability of
/// class 1 for every row of `scored`. Clean rows are class 0, shifted rows class 1.
std::vector<double> DistillReference(const Rows& clean, const Rows& shifted, const Rows& scored,
                                     const DistillReferenceOptions& options);

}  // namespace spuna::test
