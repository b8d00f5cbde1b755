#pragma once

#include <span>

namespace spuna::algorithms {

struct Moments {
  double mean = 0;
  /// The root mean square distance from the mean.
  double deviation = 0;
  /// The largest absolute value.
  double largest = 0;
};

/// Of the finite values, in the order given; all 0 where there is none.
Moments MomentsOf(std::span<const double> values);

}  // namespace spuna::algorithms
