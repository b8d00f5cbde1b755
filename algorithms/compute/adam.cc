#include "algorithms/compute/adam.h"

#include <cmath>

namespace spuna::algorithms {

AdamStep AdamMoments::StepNumber(std::size_t step, double rate, double decay) {
  constexpr double kMeanMemory = 0.9;
  constexpr double kSquareMemory = 0.999;
  constexpr float kSmallest = 1e-8F;
  const double t = static_cast<double>(step);
  const double corrected =
      rate * std::sqrt(1 - std::pow(kSquareMemory, t)) / (1 - std::pow(kMeanMemory, t));
  return {static_cast<float>(1 - kMeanMemory), static_cast<float>(1 - kSquareMemory),
          static_cast<float>(corrected), static_cast<float>(1 - rate * decay), kSmallest};
}

}  // namespace spuna::algorithms
