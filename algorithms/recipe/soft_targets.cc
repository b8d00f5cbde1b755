#include "algorithms/recipe/soft_targets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/compute/logistic.h"
#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {
namespace {

// Chosen by comparison (docs/quality.md).
constexpr double kNetworkFloor = 0.5;
constexpr double kLinearFloor = 0.85;
// How far the floors go towards "it is from the pool" where no shift is proven.
constexpr double kWayWithoutProof = 0.5;
constexpr double kLeastLabelFloor = 0.25;
constexpr double kLargestLabelFloor = 0.5;
constexpr double kShareOfLeastFloor = 0.1;
constexpr double kLeastLabeledShare = 0.05;
// In shares: the rows labeled shifted, and those left without a label below them.
constexpr double kLabeledPart = 0.75;
constexpr double kOpenPart = 0.5;
// More make a fit follow the few kinds of shift that a person has seen, and what is wrong among
// the verdicts.
constexpr float kRowsPerVerdict = 2;

std::vector<float> RaisedTo(double floor, std::span<const float> targets) {
  std::vector<float> raised;
  raised.reserve(targets.size());
  for (const float target : targets) {
    raised.push_back(static_cast<float>(floor + (1 - floor) * target));
  }
  return raised;
}

double LabelFloor(double share) {
  const double way = (share - kShareOfLeastFloor) / (kLargestRefinedShare - kShareOfLeastFloor);
  return std::lerp(kLeastLabelFloor, kLargestLabelFloor, std::clamp(way, 0.0, 1.0));
}

}  // namespace

PoolTargets TargetsOfPool(std::size_t num_pool_rows) {
  const std::vector<float> ones(num_pool_rows, 1.0F);
  return {ones, ones};
}

PoolTargets TargetsOfLogits(std::span<const double> logits, double share, bool proven) {
  const std::vector<float> curve =
      ProbabilitiesWithMean(logits, std::max(share, (share + 0.5) / 2));
  const double way = proven ? 0 : kWayWithoutProof;
  return {RaisedTo(std::lerp(kNetworkFloor, 1.0, way), curve),
          RaisedTo(std::lerp(kLinearFloor, 1.0, way), curve)};
}

PoolTargets TargetsOfLabels(std::span<const PseudoLabel> labels, double share) {
  std::vector<float> targets;
  targets.reserve(labels.size());
  for (const PseudoLabel label : labels) {
    targets.push_back(label == PseudoLabel::kShifted ? 1.0F
                      : label == PseudoLabel::kClean ? 0.0F
                                                     : 0.5F);
  }
  const std::vector<float> raised = RaisedTo(LabelFloor(share), targets);
  return {raised, raised};
}

std::vector<PseudoLabel> LabelByRank(std::span<const double> scores, double share) {
  const double in_rows = std::max(share, kLeastLabeledShare) * static_cast<double>(scores.size());
  auto rounded = [&](double part) {
    return std::min(scores.size(), static_cast<std::size_t>(std::lround(part * in_rows)));
  };
  const RowNumbers order = AscendingOrder(scores);
  std::vector<PseudoLabel> labels(scores.size(), PseudoLabel::kClean);
  const std::size_t num_shifted = rounded(kLabeledPart);
  const std::size_t num_without = rounded(kLabeledPart + kOpenPart);
  for (std::size_t i = 0; i < num_without; ++i) {
    labels[order[order.size() - 1 - i]] =
        i < num_shifted ? PseudoLabel::kShifted : PseudoLabel::kNone;
  }
  return labels;
}

std::vector<PseudoLabel> LabelByRank(std::span<const double> scores, double share,
                                     std::span<const RowVerdict> verdicts) {
  if (verdicts.empty()) return LabelByRank(scores, share);
  const RowNumbers open = RowsWithoutVerdict(verdicts, scores.size());
  std::vector<double> open_scores;
  for (const std::uint32_t row : open) open_scores.push_back(scores[row]);
  const std::vector<PseudoLabel> of_open = LabelByRank(open_scores, share);
  std::vector<PseudoLabel> labels(scores.size());
  for (std::size_t row = 0; row < labels.size(); ++row) {
    labels[row] =
        verdicts[row] == RowVerdict::kShifted ? PseudoLabel::kShifted : PseudoLabel::kClean;
  }
  for (std::size_t i = 0; i < open.size(); ++i) labels[open[i]] = of_open[i];
  return labels;
}

void LearnVerdicts(std::span<const RowVerdict> verdicts, PoolTargets& targets) {
  if (verdicts.empty()) return;
  targets.counts.assign(verdicts.size(), 1.0F);
  for (std::size_t row = 0; row < verdicts.size(); ++row) {
    if (verdicts[row] == RowVerdict::kNone) continue;
    const bool is_shifted = verdicts[row] == RowVerdict::kShifted;
    targets.network[row] = targets.linear[row] = is_shifted ? 1.0F : 0.0F;
    targets.counts[row] = kRowsPerVerdict;
  }
}

std::vector<float> WithTrustedRows(std::size_t num_trusted_rows, float of_trusted,
                                   std::span<const float> of_pool) {
  std::vector<float> all;
  if (of_pool.empty()) return all;
  all.assign(num_trusted_rows, of_trusted);
  all.insert(all.end(), of_pool.begin(), of_pool.end());
  return all;
}

std::vector<float> StratumOffsets(const Strata& strata, std::span<const float> targets) {
  std::vector<float> offsets;
  if (strata.empty()) return offsets;
  const double mean = std::accumulate(targets.begin(), targets.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(targets.size(), 1));
  const std::vector<float> log_ratios = strata.LogRatios(mean);
  for (const std::vector<std::uint32_t>* side : {&strata.trusted, &strata.pool}) {
    for (const std::uint32_t stratum : *side) offsets.push_back(log_ratios[stratum]);
  }
  return offsets;
}

double OffsetFor(std::span<const double> logits, double share) {
  const auto [lowest, highest] = std::minmax_element(logits.begin(), logits.end());
  double low = -*highest - 50;
  double high = -*lowest + 50;
  for (int step = 0; step < 60; ++step) {
    const double offset = (low + high) / 2;
    double mean = 0;
    for (const double logit : logits) mean += Logistic(logit + offset);
    (mean > share * static_cast<double>(logits.size()) ? high : low) = offset;
  }
  return (low + high) / 2;
}

std::vector<float> ProbabilitiesWithMean(std::span<const double> logits, double mean) {
  const double offset = OffsetFor(logits, mean);
  std::vector<float> probabilities;
  for (const double logit : logits) {
    probabilities.push_back(static_cast<float>(Logistic(logit + offset)));
  }
  return probabilities;
}

}  // namespace spuna::algorithms
