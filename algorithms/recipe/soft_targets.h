#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/expansion/expansion.h"
#include "algorithms/rows/row_verdicts.h"
#include "algorithms/rows/strata.h"

namespace spuna::algorithms {

/// What pool rows are learned as, from 0 (clean) to 1 (shifted), by the networks and by the linear
/// discriminant. Trusted rows are learned as 0.
///
/// That a row is in the pool says something too, whatever its label: targets begin at a floor.
struct PoolTargets {
  std::vector<float> network;
  std::vector<float> linear;
  /// As how many rows a row counts; empty for one each.
  std::vector<float> counts = {};
};

/// Every pool row counts as shifted: "it is from the pool".
PoolTargets TargetsOfPool(std::size_t num_pool_rows);

/// A logistic curve over logits, with this mean where it is at least one half, else with the middle
/// between it and one half: an estimate of the share is a lower bound, and with few shifted rows
/// the networks would learn them by heart. The floors are 0.5 for the networks and 0.85 for the
/// linear discriminant. Where no shift is proven they are halfway from there to 1: nothing says
/// that the ranking is right.
PoolTargets TargetsOfLogits(std::span<const double> logits, double share, bool proven = true);

/// Rows labeled shifted are learned as 1, rows labeled clean as the floor, and rows without a label
/// as the middle between the two. The floor is 0.25 up to a share of 0.1 and grows to 0.5 at
/// `kLargestRefinedShare`: the more rows are shifted, the more "it is from the pool" says.
PoolTargets TargetsOfLabels(std::span<const PseudoLabel> labels, double share);

/// From this share on labels are not refined: "it is from the pool" is then right often enough, and
/// self-made labels that are wrong cost more than they bring (docs/quality.md).
inline constexpr double kLargestRefinedShare = 1.0 / 3;

/// Labels the three quarters of a share that score highest as shifted, leaves half a share of the
/// rows below them without a label, and labels the rest as clean. A share below 0.05 counts as
/// 0.05: the estimate is often too low there, and some clean rows among the shifted cost less than
/// shifted rows among the clean.
std::vector<PseudoLabel> LabelByRank(std::span<const double> scores, double share);

/// The same for the rows without a verdict; the others have the label of their verdict.
std::vector<PseudoLabel> LabelByRank(std::span<const double> scores, double share,
                                     std::span<const RowVerdict> verdicts);

/// Rows with a verdict are learned as exactly that, 0 or 1, and each counts as two rows.
void LearnVerdicts(std::span<const RowVerdict> verdicts, PoolTargets& targets);

/// The pool's values behind one for each trusted row; none where the pool has none.
std::vector<float> WithTrustedRows(std::size_t num_trusted_rows, float of_trusted,
                                   std::span<const float> of_pool);

/// What the mix of strata adds to the logit of every row, trusted rows first, where pool rows are
/// learned as these targets. Empty without strata.
std::vector<float> StratumOffsets(const Strata& strata, std::span<const float> targets);

/// The number to add to the logits so that their mean probability is `share`.
double OffsetFor(std::span<const double> logits, double share);

/// The logits as probabilities with this mean.
std::vector<float> ProbabilitiesWithMean(std::span<const double> logits, double mean);

}  // namespace spuna::algorithms
