#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/compute/standardization.h"
#include "algorithms/rows/row_set.h"

namespace spuna::algorithms {

/// Ridge logistic regression on standardized rows: logit = bias + weight' * standardized.
struct LinearDiscriminant {
  Standardization standardization;
  std::vector<double> weight;
  double bias = 0;

  std::vector<double> Logits(const RowSet& rows) const;
};

/// Fits soft targets between 0 and 1, both classes of equal weight, as the widespread balanced
/// logistic regression with C = 0.01 does. Standardized values beyond ±8 count as ±8. Where there
/// are offsets, each row's is added to its logit while learning, and forgotten then. It ends at the
/// minimum; with fewer iterations, near it.
LinearDiscriminant FitLinearDiscriminant(const RowSet& rows, std::span<const float> targets,
                                         const Execution& execution,
                                         std::span<const float> offsets = {},
                                         std::size_t max_iterations = 200);

}  // namespace spuna::algorithms
