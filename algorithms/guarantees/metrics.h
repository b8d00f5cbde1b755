#pragma once

#include <cstdint>
#include <span>

namespace spuna::algorithms {

/// How well a score finds the shifted rows.
struct DetectionMetrics {
  /// The chance that a shifted row scores above a clean one, ties counted half.
  double auroc = 0;
  /// Average precision: the mean precision at the shifted rows, rows of equal score taken together.
  double aupr = 0;
  /// The share of clean rows at or above the highest threshold that catches 95 % of the shifted
  /// rows.
  double fpr95 = 0;
};

/// Compares scores (higher is more shifted, none of them NaN) with the truth (0 is clean). Throws
/// std::invalid_argument unless both classes are there.
DetectionMetrics EvaluateDetection(std::span<const double> scores,
                                   std::span<const std::uint8_t> shifted);

}  // namespace spuna::algorithms
