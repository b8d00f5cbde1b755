#include "algorithms/guarantees/batch_share.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "algorithms/guarantees/drift_watch.h"

namespace spuna::algorithms {
namespace {

// No model has seen the rows of a batch, but the threshold is chosen by them: measured, see
// docs/quality.md.
constexpr double kIntervalWidening = 1.3;

}  // namespace

BatchShare::BatchShare(std::span<const HeldOut> classifiers, std::uint64_t seed) : random_(seed) {
  if (classifiers.empty()) throw std::invalid_argument("a share needs at least 1 classifier");
  for (const HeldOut& held_out : classifiers) {
    if (held_out.scores.empty()) {
      throw std::invalid_argument("a share needs at least 1 trusted row for each classifier");
    }
    const auto count = static_cast<double>(held_out.scores.size());
    Scale scale;
    for (const float score : held_out.scores) scale.mean += ClampedLogit(score) / count;
    double variance = 0;
    for (const float score : held_out.scores) {
      const double distance = ClampedLogit(score) - scale.mean;
      variance += distance * distance / count;
    }
    if (variance > 0) scale.deviation = std::sqrt(variance);
    scales_.push_back(scale);
    for (const float score : held_out.scores) {
      trusted_.push_back(InDeviations(scales_.size() - 1, score));
    }
  }
}

double BatchShare::InDeviations(std::size_t classifier, float score) const {
  const Scale& scale = scales_[classifier];
  return (ClampedLogit(score) - scale.mean) / scale.deviation;
}

void BatchShare::Add(const std::vector<std::vector<float>>& scores) {
  if (scores.size() != scales_.size()) {
    throw std::invalid_argument("expected scores of " + std::to_string(scales_.size()) +
                                " classifiers but found " + std::to_string(scores.size()));
  }
  for (std::size_t row = 0; row < scores[0].size(); ++row) {
    const std::size_t k = num_rows_ % scales_.size();
    const double value = InDeviations(k, scores[k][row]);
    ++num_rows_;
    if (rows_.size() < kMaxRows) {
      rows_.push_back(value);
    } else if (const std::uint64_t place = random_.Below(num_rows_); place < kMaxRows) {
      rows_[place] = value;
    }
  }
}

Share BatchShare::Estimate() const { return EstimateShare(trusted_, rows_, {}, kIntervalWidening); }

}  // namespace spuna::algorithms
