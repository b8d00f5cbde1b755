#pragma once

#include <optional>
#include <vector>

#include "algorithms/classifier/classifier.h"
#include "algorithms/space/row_limits.h"
#include "algorithms/space/row_screen.h"

namespace spuna::algorithms {

/// A classifier, and its scores of trusted rows that it has not learned as trusted rows. They are
/// what the scores of other rows can be compared with.
struct HeldOut {
  Classifier classifier;
  /// To where rows are clipped before the classifier sees them; empty where they are not.
  RowLimits limits;
  /// What rows are held against, where odd rows are dropped.
  std::optional<RowScreen> screen;
  /// Joined scores where there is a screen.
  std::vector<float> scores;

  /// The scores of rows as they are: joined ones where there is a screen and they are asked for.
  std::vector<float> Score(const EmbeddingsView& rows, const Execution& execution,
                           bool joined = true) const;
};

}  // namespace spuna::algorithms
