#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace spuna::algorithms {

/// The share of shifted rows in a pool, and its interval at 95 %.
struct Share {
  double estimate = 0;
  double low = 0;
  double high = 1;
};

/// How much wider than that of independent rows the interval is where pool and trusted rows were
/// cross-fitted: models of different folds share most of what they learned (docs/quality.md).
inline constexpr double kCrossFitWidening = 1.6;

/// The share from scores (higher is more shifted) that were given to trusted and pool rows alike by
/// models that had seen neither.
///
/// Best bin estimation (Garg, Wu, Smola, Balakrishnan and Lipton, 2021): below a threshold c at the
/// clean end there are few shifted rows, so 1 - share is about the pool's fraction below c over the
/// trusted rows' fraction below c; c is where the upper confidence bound of that quotient is least.
///
/// `low` holds whatever the shifted rows look like. `estimate` and `high` hold only if few of them
/// look like the cleaner half of the trusted rows (irreducibility): shifted rows that can't be told
/// from clean ones can't be counted. Trusted rows may have weights.
Share EstimateShare(std::span<const double> trusted, std::span<const double> pool,
                    std::span<const double> trusted_weights = {},
                    double widening = kCrossFitWidening);

/// How much wider the interval is where rows belong to groups, from 1 on: by the deviation of the
/// groups' sums of scores over what it would be if their rows were independent.
double GroupWidening(std::span<const double> scores, std::span<const std::uint32_t> groups);

/// How well scores tell pool from trusted rows.
struct Separation {
  /// The probability that a pool row scores higher than a trusted row; ties count half.
  double auroc = 0.5;
  /// Of "there is no difference", see TestShift.
  double p_value = 1;
  /// The smallest p-value that so few groups can have, where there are groups.
  std::optional<double> least_p_value;

  /// Whether there is a difference, at the level of 5 %.
  bool Found() const { return p_value < kLevel; }
  /// Whether there are too few groups for any difference to be detected.
  bool CanNotBeFound() const { return least_p_value && *least_p_value >= kLevel; }

  static constexpr double kLevel = 0.05;
};

/// The probability that a pool row scores higher than a trusted row; ties count half.
double Auroc(std::span<const double> trusted, std::span<const double> pool);

/// The standard error of the AUROC of `num_trusted` against `num_pool` rows that don't differ.
double AurocError(std::size_t num_trusted, std::size_t num_pool);

}  // namespace spuna::algorithms
