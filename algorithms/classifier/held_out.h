// Plain data: no source file.
#pragma once

#include <vector>

#include "algorithms/classifier/classifier.h"

namespace spuna::algorithms {

/// A classifier, and its scores of trusted rows that it has not learned as trusted rows. They are
/// what the scores of other rows can be compared with.
struct HeldOut {
  Classifier classifier;
  std::vector<float> scores;
};

}  // namespace spuna::algorithms
