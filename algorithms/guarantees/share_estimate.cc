#include "algorithms/guarantees/share_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "algorithms/guarantees/metrics.h"
#include "algorithms/rows/groups.h"
#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {
namespace {

// Of the confidence bound, as in the experiments of the paper (share_estimate.h).
constexpr double kErrorProbability = 0.1;
constexpr double kMarginSurplus = 0.01;
// The two-sided quantile of 95 %.
constexpr double kQuantile95 = 1.96;

// What lies below a threshold, as a share of each side, and the quotient of the two.
struct Bin {
  double trusted = 1;
  double pool = 1;

  double CleanShare() const { return pool / trusted; }

  // How far the quotient may be off at 95 %, with so many rows on either side.
  double Reach(double num_trusted, double num_pool, double widening) const {
    const double relative = (1 - trusted) / (trusted * num_trusted) +
                            (1 - pool) / (std::max(pool, 1 / num_pool) * num_pool);
    return kQuantile95 * widening * CleanShare() * std::sqrt(std::max(relative, 0.0));
  }
};

// The number of equal weights that say as much.
double EffectiveCount(std::span<const double> weights) {
  double sum = 0;
  double square = 0;
  for (const double weight : weights) {
    sum += weight;
    square += weight * weight;
  }
  return square > 0 ? sum * sum / square : 0;
}

}  // namespace

Share EstimateShare(std::span<const double> trusted, std::span<const double> pool,
                    std::span<const double> trusted_weights, double widening) {
  if (trusted.empty() || pool.empty()) return {};
  std::vector<double> weights(trusted_weights.begin(), trusted_weights.end());
  weights.resize(trusted.size(), 1.0);
  std::vector<double> sorted_pool(pool.begin(), pool.end());
  std::sort(sorted_pool.begin(), sorted_pool.end());
  const RowNumbers order = AscendingOrder(trusted);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double n = EffectiveCount(weights);
  const double m = static_cast<double>(pool.size());
  const double log_term = std::log(4 / kErrorProbability) / 2;
  const double margin = (1 + kMarginSurplus) * (std::sqrt(log_term / n) + std::sqrt(log_term / m));
  double least_bound = INFINITY;
  Bin best;
  Bin median;
  bool has_median = false;
  double below = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double score = trusted[order[i]];
    below += weights[order[i]];
    const bool last_of_ties = i + 1 == order.size() || trusted[order[i + 1]] > score;
    if (!last_of_ties) continue;
    const auto end = std::upper_bound(sorted_pool.begin(), sorted_pool.end(), score);
    const Bin bin{below / total, static_cast<double>(end - sorted_pool.begin()) / m};
    if (!has_median && bin.trusted >= 0.5) {
      median = bin;
      has_median = true;
    }
    const double bound = (bin.pool + margin) / bin.trusted;
    if (bound >= least_bound) continue;
    least_bound = bound;
    best = bin;
  }
  auto clamp = [](double share) { return std::clamp(share, 0.0, 1.0); };
  Share share;
  share.estimate = clamp(1 - best.CleanShare());
  share.low = clamp(1 - best.CleanShare() - best.Reach(n, m, widening));
  share.high = clamp(std::max(1 - best.CleanShare() + best.Reach(n, m, widening),
                              1 - median.CleanShare() + median.Reach(n, m, widening)));
  return share;
}

double GroupWidening(std::span<const double> scores, std::span<const std::uint32_t> groups) {
  if (groups.empty()) return 1;
  const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(scores.size(), 1));
  double of_rows = 0;
  double of_groups = 0;
  for (const RowNumbers& rows : RowsByGroup(groups, scores.size())) {
    double sum = 0;
    for (const std::uint32_t row : rows) {
      sum += scores[row] - mean;
      of_rows += (scores[row] - mean) * (scores[row] - mean);
    }
    of_groups += sum * sum;
  }
  return of_rows > 0 ? std::sqrt(std::max(of_groups / of_rows, 1.0)) : 1;
}

double Auroc(std::span<const double> trusted, std::span<const double> pool) {
  if (trusted.empty() || pool.empty()) return 0.5;
  std::vector<double> scores(trusted.begin(), trusted.end());
  scores.insert(scores.end(), pool.begin(), pool.end());
  std::vector<std::uint8_t> is_pool(trusted.size(), 0);
  is_pool.resize(scores.size(), 1);
  return EvaluateDetection(scores, is_pool).auroc;
}

double AurocError(std::size_t num_trusted, std::size_t num_pool) {
  const double n = static_cast<double>(num_trusted);
  const double m = static_cast<double>(num_pool);
  return std::sqrt((n + m + 1) / (12 * n * m));
}

}  // namespace spuna::algorithms
