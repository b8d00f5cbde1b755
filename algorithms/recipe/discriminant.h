#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/classifier/held_out.h"
#include "algorithms/classifier/soft_network.h"
#include "algorithms/compute/execution.h"
#include "algorithms/guarantees/share_estimate.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/groups.h"
#include "algorithms/rows/row_verdicts.h"
#include "algorithms/rows/strata.h"

namespace spuna::algorithms {

/// "Trusted or pool?", answered for every row by models that have not seen the row.
struct Discriminant {
  /// Higher is more like the pool; in deviations of the trusted rows' scores from their mean.
  std::vector<double> trusted;
  std::vector<double> pool;
  /// How much of the score is the network's; the rest is the linear discriminant's.
  double network_weight = 0.5;
  Separation separation;
  /// The same for a model that learns from the scores. Where no shift is known it is halfway from
  /// the measured proportion to an even one: chance has chosen it as much as a difference has.
  double LearnedNetworkWeight(bool is_known) const {
    return is_known ? network_weight : (network_weight + 0.5) / 2;
  }
  /// The estimated share of shifted rows among the pool rows without a verdict.
  Share share;
  /// What scored each fold, and its scores of the trusted rows in it. The network takes the most
  /// room: the first two have it, the others are the linear discriminant alone.
  std::vector<HeldOut> folds;
};

/// Cuts trusted rows and pool into 5 folds, groups whole. For each, a network on rows whitened by
/// the other folds' trusted rows and a linear discriminant learn the other folds, and score this
/// one. The two scores are mixed in the proportion that tells trusted rows and pool apart best;
/// proportions that can't be told from the best are averaged. With strata, what is learned is the
/// difference within them.
///
/// Rows with a verdict are learned as what it says (LearnVerdicts). The difference, its test, the
/// share and the proportion are measured on the others.
///
/// The folds, the initial weights and the order of rows depend on `options.seed`. Throws
/// std::invalid_argument with fewer than 2 rows, or groups, on either side.
Discriminant CrossFit(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                      const Strata& strata, const Groups& groups,
                      std::span<const RowVerdict> verdicts, const SoftNetworkOptions& options,
                      const Execution& execution);

}  // namespace spuna::algorithms
