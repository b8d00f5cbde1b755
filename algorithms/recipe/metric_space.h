#pragma once

#include "algorithms/compute/execution.h"
#include "algorithms/recipe/discriminant.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/space/whitening.h"

namespace spuna::algorithms {

/// In what coordinates neighbors are looked for.
enum class Metric {
  kEuclidean,  ///< the embeddings as they are
  kWhitened,   ///< centered, uncorrelated and of equal spread on the trusted rows
  kCosine,     ///< every row of length 1
  kContrast,   ///< the 8 whitened directions in which pool and trusted rows differ most in spread
};

/// Trusted rows and pool in the coordinates of a metric.
struct MetricSpace {
  Matrix trusted;
  Matrix pool;
};

/// Where there is a discriminant its score becomes one more coordinate, beside the others scaled so
/// that the trusted rows' mean square distance from their center is 1. The whitened metric and that
/// of contrast need the trusted rows' whitening.
MetricSpace MakeMetricSpace(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                            Metric metric, const Whitening* whitening,
                            const Discriminant* discriminant, const Execution& execution);

}  // namespace spuna::algorithms
