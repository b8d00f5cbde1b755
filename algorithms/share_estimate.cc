#include "algorithms/share_estimate.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "algorithms/metrics.h"

namespace spuna::algorithms {
namespace {

// As in the paper's experiments.
constexpr double kConfidence = 0.1;
constexpr double kMargin = 0.01;

std::vector<double> Sorted(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

double EstimateShare(std::span<const double> trusted, std::span<const double> pool) {
  if (trusted.empty() || pool.empty()) return 0;
  const std::vector<double> sorted_trusted = Sorted(trusted);
  const std::vector<double> sorted_pool = Sorted(pool);
  const double n = static_cast<double>(trusted.size());
  const double m = static_cast<double>(pool.size());
  const double log_term = std::log(4 / kConfidence) / 2;
  const double margin = (1 + kMargin) * (std::sqrt(log_term / n) + std::sqrt(log_term / m));
  double least_bound = INFINITY;
  double clean_share = 1;
  for (std::size_t i = 0; i < sorted_trusted.size(); ++i) {
    const bool last_of_ties =
        i + 1 == sorted_trusted.size() || sorted_trusted[i + 1] > sorted_trusted[i];
    if (!last_of_ties) continue;
    const double below_trusted = static_cast<double>(i + 1) / n;
    const auto end = std::upper_bound(sorted_pool.begin(), sorted_pool.end(), sorted_trusted[i]);
    const double below_pool = static_cast<double>(end - sorted_pool.begin()) / m;
    const double bound = (below_pool + margin) / below_trusted;
    if (bound >= least_bound) continue;
    least_bound = bound;
    clean_share = below_pool / below_trusted;
  }
  return std::clamp(1 - clean_share, 0.0, 1.0);
}

double AurocError(std::size_t num_trusted, std::size_t num_pool) {
  const double n = static_cast<double>(num_trusted);
  const double m = static_cast<double>(num_pool);
  return std::sqrt((n + m + 1) / (12 * n * m));
}

Separation MeasureSeparation(std::span<const double> trusted, std::span<const double> pool) {
  Separation separation;
  if (trusted.empty() || pool.empty()) return separation;
  std::vector<double> scores(trusted.begin(), trusted.end());
  scores.insert(scores.end(), pool.begin(), pool.end());
  std::vector<std::uint8_t> is_pool(trusted.size(), 0);
  is_pool.resize(scores.size(), 1);
  separation.auroc = EvaluateDetection(scores, is_pool).auroc;
  const double deviation = AurocError(trusted.size(), pool.size());
  separation.p_value = std::erfc((separation.auroc - 0.5) / deviation / std::numbers::sqrt2) / 2;
  return separation;
}

}  // namespace spuna::algorithms
