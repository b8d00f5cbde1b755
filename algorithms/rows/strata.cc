#include "algorithms/rows/strata.h"

#include <algorithm>
#include <cmath>

namespace spuna::algorithms {
namespace {

// A stratum that one side lacks counts as if it had half a row there.
constexpr double kLeastRows = 0.5;

std::vector<double> SharesOf(std::span<const std::uint32_t> strata, std::size_t count) {
  std::vector<double> shares(count, kLeastRows);
  for (const std::uint32_t stratum : strata) ++shares[stratum];
  const double total = static_cast<double>(strata.size()) + kLeastRows * static_cast<double>(count);
  for (double& share : shares) share /= total;
  return shares;
}

}  // namespace

std::vector<float> Strata::LogRatios(double learned_as_shifted) const {
  // Pool rows of a stratum that are learned as clean stand beside its trusted rows.
  const double beside = (1 - learned_as_shifted) * static_cast<double>(pool.size()) /
                        std::max(static_cast<double>(trusted.size()), 1.0);
  std::vector<float> ratios;
  for (const double weight : TrustedWeights()) {
    ratios.push_back(static_cast<float>(std::log(weight / (1 + weight * beside))));
  }
  return ratios;
}

std::vector<double> Strata::TrustedWeights() const {
  if (empty()) return {};
  std::vector<double> weights = SharesOf(pool, count);
  const std::vector<double> of_trusted = SharesOf(trusted, count);
  for (std::size_t i = 0; i < count; ++i) weights[i] /= of_trusted[i];
  return weights;
}

}  // namespace spuna::algorithms
