#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/classifier/classifier.h"
#include "algorithms/classifier/soft_network.h"
#include "algorithms/compute/execution.h"
#include "algorithms/recipe/discriminant.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/strata.h"
#include "algorithms/space/whitening.h"

namespace spuna::algorithms {

/// What a fit knows of every pool row when it comes to the last step.
struct Evidence {
  /// The discriminant's scores, where there is one.
  const Discriminant* discriminant = nullptr;
  /// The neighbor scores, where labels were expanded; else empty.
  std::span<const double> neighbor_scores;
  /// Within which rows are compared; null without strata.
  const Strata* strata = nullptr;
};

/// Trains four networks on trusted rows (target 0) and pool rows (soft targets) in coordinates
/// whitened by the trusted rows, beside a linear discriminant, and joins them to one network in the
/// proportion that the cross-fitted discriminant found. It takes embeddings as they are: the
/// whitening is multiplied into the hidden layer, and the linear part is two more hidden units.
///
/// The soft target of a pool row is a logistic curve over the sum of its standardized scores, moved
/// so that the mean is the estimated share, or where that is below one half the middle between the
/// two: the estimate is a lower bound, and with few the network would learn them by heart.
///
/// The classifier's scores are brought to the steepness of that curve, and moved so that their mean
/// over the pool is the estimated share; where `found` is false so that no row of either input
/// reaches one half.
Classifier DistillSoftly(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                         const Whitening& whitening, const Evidence& evidence, bool found,
                         const SoftNetworkOptions& options, const Execution& execution);

}  // namespace spuna::algorithms
