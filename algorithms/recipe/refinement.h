#pragma once

#include <cstddef>
#include <span>

#include "algorithms/classifier/soft_network.h"
#include "algorithms/compute/execution.h"
#include "algorithms/expansion/expansion.h"
#include "algorithms/recipe/soft_targets.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/groups.h"
#include "algorithms/rows/row_verdicts.h"
#include "algorithms/rows/strata.h"
#include "algorithms/space/whitening.h"

namespace spuna::algorithms {

struct RefinementOptions {
  /// The share of shifted rows in the pool, as far as it is known.
  double share = 0.5;
  /// How much of a score is the network's; the rest is the linear discriminant's.
  double network_weight = 0.5;
  /// The rounds after round 0 at most; none from `kLargestRefinedShare` on.
  std::size_t max_rounds = 3;
  /// It stops after the first round in which the entropy grows by less than this, and falls by more
  /// than chance lets it fall.
  double epsilon = 0;
  OnStop on_stop = OnStop::kKeep;
  SoftNetworkOptions network;
};

/// Labels the pool symmetrically, round by round:
///
///     round 0:  models learn trusted rows against pool rows with soft targets by `first_scores`
///     round t:  models learn trusted and pseudo-clean rows against the pseudo-shifted rows of
///               round t - 1
///     each:     the pool is cut into four folds, groups whole; a network and a linear discriminant
///     that learned
///               the others score each fold, and the ranking of the pool gives the labels
///               (LabelByRank)
///     stop:     after the first round with H_t - H_{t-1} < epsilon - 0.025, where H is the
///               spectral entropy of the whitened pseudo-shifted rows: they then narrow to fewer
///               kinds. All labels are made anew, so H wavers by up to 0.025 where nothing changes
///
/// So the clean rows of the pool, many more than the trusted rows, help to say what clean is, and
/// no row is labeled by a model that saw it. A row's round is the one from which on it has had its
/// label. From `kLargestRefinedShare` on, or where no rounds are asked for, `first_scores` alone
/// label the rows and nothing is learned.
///
/// The result depends on rows, options and scores alone, and not on the round from which it is
/// resumed: the labels of a round are all that the next needs.
///
/// Rows with a verdict have its label from round 0 on, and the share is that of the others.
Expansion RefineLabels(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                       const Strata& strata, const Groups& groups,
                       std::span<const RowVerdict> verdicts, const Whitening& whitening,
                       std::span<const double> first_scores, const RefinementOptions& options,
                       const Execution& execution, const ExpansionRecord& record = {});

}  // namespace spuna::algorithms
