// Inlined into loops: no source file.
#pragma once

#include <algorithm>
#include <cmath>

namespace spuna::algorithms {

/// The probability that belongs to a logit.
inline double Logistic(double logit) { return 1 / (1 + std::exp(-logit)); }

/// The cross-entropy of that probability against a target between 0 and 1. Does not overflow.
inline double LogisticLoss(double logit, double target) {
  const double softplus = std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit)));
  return softplus - target * logit;
}

}  // namespace spuna::algorithms
