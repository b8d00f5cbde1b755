#include "algorithms/guarantees/conformal.h"

#include <algorithm>
#include <cmath>

namespace spuna::algorithms {
namespace {

// Levels are decimal fractions; their products with counts may miss a whole number by rounding.
constexpr double kRounding = 1e-9;

// How many of the ascending scores are as high as `score` or higher.
std::size_t CountFrom(std::span<const float> ascending, float score) {
  const auto first = std::lower_bound(ascending.begin(), ascending.end(), score);
  return static_cast<std::size_t>(ascending.end() - first);
}

}  // namespace

std::size_t CalibrationScores::size() const {
  std::size_t count = own.size();
  for (const HeldOut& fold : folds) count += fold.scores.size();
  return count;
}

std::vector<double> PValues(const CalibrationScores& calibration, const EmbeddingsView& rows,
                            std::span<const float> scores, const Execution& execution,
                            bool joined) {
  std::vector<std::size_t> counts(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) counts[i] = CountFrom(calibration.own, scores[i]);
  for (const HeldOut& fold : calibration.folds) {
    const std::vector<float> by_fold = fold.Score(rows, execution, joined);
    for (std::size_t i = 0; i < scores.size(); ++i) counts[i] += CountFrom(fold.scores, by_fold[i]);
  }
  const double total = static_cast<double>(calibration.size() + 1);
  std::vector<double> p_values;
  p_values.reserve(counts.size());
  for (const std::size_t count : counts) p_values.push_back(static_cast<double>(count + 1) / total);
  return p_values;
}

std::size_t CalibrationRowsFor(double level) {
  return static_cast<std::size_t>(std::max(std::ceil(1 / level - kRounding) - 1, 1.0));
}

double ThresholdAt(std::span<const float> own, double level) {
  const double n = static_cast<double>(own.size());
  const double allowed = std::floor(level * (n + 1) + kRounding) - 1;
  if (allowed < 0) return INFINITY;
  // So many calibration rows may score as high as a dropped row.
  const auto above = static_cast<std::size_t>(allowed);
  if (above >= own.size()) return 0;
  return std::nextafter(own[own.size() - 1 - above], INFINITY);
}

double FalseDropCutoff(std::vector<double> p_values, double rate, double clean_share) {
  std::sort(p_values.begin(), p_values.end());
  const double m = static_cast<double>(p_values.size());
  const double slope = rate / std::max(clean_share, 1 / std::max(m, 1.0));
  double cutoff = 0;
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    if (p_values[i] <= slope * static_cast<double>(i + 1) / m + kRounding) cutoff = p_values[i];
  }
  return cutoff;
}

}  // namespace spuna::algorithms
