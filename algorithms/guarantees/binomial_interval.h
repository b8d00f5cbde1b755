#pragma once

namespace spuna::algorithms {

/// An estimate with what it may be.
struct Interval {
  double estimate = 0;
  double low = 0;
  double high = 1;
};

/// The interval of Clopper and Pearson for the probability of a success: whatever the probability
/// is, it covers it with at least the probability `level`. `low` and `high` are quantiles of beta
/// distributions,
///
///   low = B⁻¹((1 - level) / 2; s, n - s + 1),  high = B⁻¹((1 + level) / 2; s + 1, n - s),
///
/// which need no whole numbers: an effective number of trials may be given. Without trials
/// (`trials` 0) everything is possible: the estimate is 0, from 0 to 1.
///
/// Throws std::invalid_argument where `successes` is not within 0 and `trials`, or `level` not
/// within 0 and 1.
Interval BinomialInterval(double successes, double trials, double level = 0.95);

}  // namespace spuna::algorithms
