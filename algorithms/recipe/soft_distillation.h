#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "algorithms/classifier/classifier.h"
#include "algorithms/classifier/soft_network.h"
#include "algorithms/compute/execution.h"
#include "algorithms/recipe/soft_targets.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/space/whitening.h"

namespace spuna::algorithms {

/// Several small networks and their mean are steadier than one large, and can be trained at once.
constexpr std::size_t kNumNetworks = 4;

/// The hidden units of each, of all that there are.
constexpr std::size_t HiddenOfPart(std::size_t hidden) {
  return (hidden + kNumNetworks - 1) / kNumNetworks;
}

/// What the last step of a fit learns.
struct SoftLesson {
  PoolTargets targets;
  /// What the mix of strata adds to each row's logit, trusted rows first; empty without strata.
  std::vector<float> offsets;
  /// The logits whose steepness the scores get. Empty: their deviation over the pool is that of
  /// CurveOf.
  std::vector<double> curve;
  /// How much of the score is the networks'; the rest is the linear discriminant's.
  double network_weight = 1;
  /// What the mean of the scores over the pool shall be.
  double share = 0.5;
  /// Whether a shift was detected.
  bool found = true;
};

/// The sum of scores of every pool row, each kind in deviations from its mean, as logits of the
/// steepness that soft targets have. A kind has a score for every row or none; a row whose score is
/// not finite (the only one of its bank) is taken for average.
std::vector<double> CurveOf(std::size_t num_pool_rows,
                            std::initializer_list<std::span<const double>> scores);

/// Trains four networks on trusted rows (target 0) and pool rows (soft targets) in coordinates
/// whitened by the trusted rows, beside a linear discriminant, and joins them to one network in the
/// given proportion. It takes embeddings as they are: the whitening is multiplied into the hidden
/// layer, and the linear part is two more hidden units.
///
/// The classifier's scores are brought to the steepness of the curve, and moved so that their mean
/// over the pool is the share; where no shift was detected so that no row of either input reaches
/// one half.
Classifier DistillSoftly(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                         const Whitening& whitening, const SoftLesson& lesson,
                         const SoftNetworkOptions& options, const Execution& execution);

}  // namespace spuna::algorithms
