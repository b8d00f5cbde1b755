#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/classifier/soft_network.h"
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

/// Fits soft targets, both classes of equal weight, as the widespread balanced logistic regression
/// with C = 0.01 does. Standardized values beyond ±8 count as ±8. It ends at the minimum; with
/// fewer iterations, near it.
LinearDiscriminant FitLinearDiscriminant(const RowSet& rows, const RowTargets& lesson,
                                         const Execution& execution,
                                         std::size_t max_iterations = 200);

}  // namespace spuna::algorithms
