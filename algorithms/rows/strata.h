#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spuna::algorithms {

/// Kinds of rows that are compared among themselves only, such as the classes of pictures: another
/// mix of them is no shift. Without strata all rows are of one kind.
struct Strata {
  /// The stratum of every row, below `count`; empty without strata.
  std::vector<std::uint32_t> trusted;
  std::vector<std::uint32_t> pool;
  std::size_t count = 1;

  bool empty() const { return trusted.empty() && pool.empty(); }
  std::uint32_t OfTrusted(std::size_t row) const { return trusted.empty() ? 0 : trusted[row]; }
  std::uint32_t OfPool(std::size_t row) const { return pool.empty() ? 0 : pool[row]; }

  /// For each stratum the logarithm of how much more frequent it is in the pool than among the
  /// trusted rows. A model of "trusted or pool?" that gets it as an offset to its logit has nothing
  /// left to learn from the mix. Where pool rows are learned as shifted only in part,
  /// `learned_as_shifted` is the mean of their targets. Empty without strata.
  std::vector<float> LogRatios(double learned_as_shifted = 1) const;

  /// For each stratum the factor that gives the trusted rows the pool's mix. Empty without strata.
  std::vector<double> TrustedWeights() const;
};

}  // namespace spuna::algorithms
