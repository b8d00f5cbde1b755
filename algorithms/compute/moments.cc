#include "algorithms/compute/moments.h"

#include <algorithm>
#include <cmath>

namespace spuna::algorithms {

Moments MomentsOf(std::span<const double> values) {
  Moments moments;
  double n = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    moments.mean += value;
    moments.largest = std::max(moments.largest, std::abs(value));
    ++n;
  }
  if (n == 0) return moments;
  moments.mean /= n;
  double square = 0;
  for (const double value : values) {
    if (std::isfinite(value)) square += (value - moments.mean) * (value - moments.mean);
  }
  moments.deviation = std::sqrt(square / n);
  return moments;
}

}  // namespace spuna::algorithms
