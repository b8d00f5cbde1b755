#pragma once

#include <cstddef>
#include <span>

namespace spuna::algorithms {

/// The share of shifted rows in a pool, from scores (higher is more shifted) that were given to
/// trusted and pool rows alike by models that had seen neither.
///
/// Best bin estimation (Garg, Wu, Smola, Balakrishnan and Lipton, 2021): below a threshold c at the
/// clean end there are few shifted rows, so 1 - share is about the pool's fraction below c over the
/// trusted rows' fraction below c; c is where the upper confidence bound of that quotient is least.
double EstimateShare(std::span<const double> trusted, std::span<const double> pool);

/// How well scores tell pool from trusted rows.
struct Separation {
  /// The probability that a pool row scores higher than a trusted row; ties count half.
  double auroc = 0.5;
  /// Of an AUROC this high if there were no difference: Mann and Whitney's test, one-sided.
  double p_value = 1;
};

/// The standard error of the AUROC of `num_trusted` against `num_pool` rows that don't differ.
double AurocError(std::size_t num_trusted, std::size_t num_pool);

Separation MeasureSeparation(std::span<const double> trusted, std::span<const double> pool);

}  // namespace spuna::algorithms
