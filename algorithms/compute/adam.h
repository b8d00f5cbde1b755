#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/compute/vector_kernels.h"

namespace spuna::algorithms {

/// What Adam remembers of a block of parameters. With a decay it is AdamW: the decay is apart from
/// the gradient.
class AdamMoments {
 public:
  explicit AdamMoments(std::size_t size) : mean_(size), square_(size) {}

  std::size_t size() const { return mean_.size(); }

  /// The numbers of step 1, 2, …
  static AdamStep StepNumber(std::size_t step, double rate, double decay = 0);

  /// Takes a step with some parameters, from the place `begin` on. Both pointers are to the first
  /// of them. Distinct ranges may run at the same time.
  void Move(const AdamStep& step, const float* gradient, float* parameters, std::size_t begin,
            std::size_t count) {
    Kernels().adam_step(gradient, count, step, mean_.data() + begin, square_.data() + begin,
                        parameters);
  }

 private:
  std::vector<float> mean_;
  std::vector<float> square_;
};

}  // namespace spuna::algorithms
