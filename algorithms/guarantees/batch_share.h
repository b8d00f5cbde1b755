#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/classifier/held_out.h"
#include "algorithms/guarantees/share_estimate.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {

/// The share of shifted rows in a batch, from the scores of several classifiers.
///
/// Every row of the batch is compared by one classifier, in turn, so that there are as many
/// independent comparisons as there are rows; the classifiers' logits are put on one scale by the
/// mean and deviation of the trusted rows that each has not seen. Of more than `kMaxRows` rows so
/// many are drawn.
class BatchShare {
 public:
  static constexpr std::size_t kMaxRows = 1'000'000;

  /// Throws std::invalid_argument without classifiers or trusted scores.
  BatchShare(std::span<const HeldOut> classifiers, std::uint64_t seed);

  /// Adds rows; `scores` has the scores of all rows for each classifier.
  void Add(const std::vector<std::vector<float>>& scores);

  std::uint64_t num_rows() const { return num_rows_; }

  /// What is known so far.
  Share Estimate() const;

 private:
  // The mean and deviation of a classifier's logits of trusted rows.
  struct Scale {
    double mean = 0;
    double deviation = 1;
  };

  // The logit of a score, in deviations from the mean of its classifier.
  double InDeviations(std::size_t classifier, float score) const;

  SeededRandom random_;
  std::vector<Scale> scales_;
  std::vector<double> trusted_;
  std::vector<double> rows_;
  std::uint64_t num_rows_ = 0;
};

}  // namespace spuna::algorithms
