#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/classifier/held_out.h"

namespace spuna::algorithms {

/// Scores of trusted rows that the model has learned as pool rows, and so scores like the clean
/// rows of the pool (Marandon, Lei, Mary and Roquain, "Adaptive novelty detection with false
/// discovery rate guarantee", 2024). With n of them, a clean pool row's
///
///     p = (1 + number of them that score as high or higher) / (n + 1)
///
/// is at most t with a probability of at most t. Rows that the model has not learned at all score
/// lower if they are clean, and err on the safe side.
struct CalibrationScores {
  /// Of the model's classifier, ascending.
  std::vector<float> own;
  /// For the cross variant instead: other classifiers, each with the scores, ascending, of its part
  /// of the trusted rows. Then the probability is at most about 2 t.
  std::vector<HeldOut> folds;

  bool empty() const { return own.empty() && folds.empty(); }
  std::size_t size() const;
};

/// The p-values of rows, as they are, that the model gave these scores: joined ones, or the
/// classifier's.
std::vector<double> PValues(const CalibrationScores& calibration, const EmbeddingsView& rows,
                            std::span<const float> scores, const Execution& execution,
                            bool joined = true);

/// How many calibration rows it takes for a p-value to be as low as `level`.
std::size_t CalibrationRowsFor(double level);

/// The least score whose p-value is at most `level`, given ascending scores; infinity where there
/// is none.
double ThresholdAt(std::span<const float> own, double level);

/// The largest of the p-values that Benjamini and Hochberg's procedure rejects, so that of the rows
/// with p-values up to it at most a share `rate` is clean in expectation, if at most a share
/// `clean_share` of all rows is clean. 0 where none is rejected.
double FalseDropCutoff(std::vector<double> p_values, double rate, double clean_share);

}  // namespace spuna::algorithms
