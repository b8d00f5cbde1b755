#pragma once

#include <optional>
#include <span>
#include <vector>

#include "algorithms/classifier/classifier.h"
#include "algorithms/compute/execution.h"
#include "algorithms/expansion/expansion.h"
#include "algorithms/recipe/checkpoint.h"
#include "algorithms/recipe/discriminant.h"
#include "algorithms/recipe/metric_space.h"
#include "algorithms/recipe/soft_distillation.h"
#include "algorithms/recipe/switches.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/groups.h"
#include "algorithms/rows/row_verdicts.h"
#include "algorithms/rows/strata.h"
#include "algorithms/space/whitening.h"

namespace spuna::algorithms {

/// What the steps of a fit share: the discriminant, and where labels are expanded by neighbors the
/// pool and the trusted rows in the metric's coordinates.
class FitContext {
 public:
  /// The views must outlive it, and so must the checkpoint, which may be null. RowVerdicts are for
  /// labels that do not come from the expansion by neighbors.
  FitContext(const EmbeddingsView& trusted, const EmbeddingsView& pool, const Strata& strata,
             const Groups& groups, const RowVerdicts& verdicts, const RecipeOptions& options,
             const Execution& execution, Checkpoint* checkpoint = nullptr);

  const std::optional<Discriminant>& discriminant() const { return discriminant_; }

  /// Whether there is a shift: trusted rows and pool differ, proven at the level of 5 %, or a
  /// person has seen a shifted row. Without a discriminant nobody asked.
  bool found() const {
    return !discriminant_ || discriminant_->separation.Found() || HasShifted(verdicts_);
  }

  /// The estimated share of shifted rows in the pool, those with a verdict included. There must be
  /// a discriminant.
  Share ShareInterval() const;

  /// The pool's labels; none where nothing was found.
  Expansion Expand(const Execution& execution) const;

  /// The pool's score without classifier, in the metric's coordinates. Empty where there are no
  /// labels.
  std::vector<double> NeighborScores(const Expansion& expansion, const Execution& execution) const;

  /// Frees the rows in the metric's coordinates. Distill does not need them; the others do.
  void FreeSpace() { space_.reset(); }

  /// The classifier, from labels and the neighbor scores that belong to them. The scores are not
  /// needed for targets of labels. Where nothing was found labels are passed over: the classifier
  /// ranks rows by the discriminant alone and keeps them all.
  Classifier Distill(const Expansion& expansion, const std::vector<double>& neighbor_scores,
                     const Execution& execution) const;

 private:
  // Where nothing was found there are no labels to learn.
  bool DistillsSoftly() const { return options_.switches.targets != Targets::kLabels || !found(); }

  // The share of the pool that labels shall call shifted.
  double LabelShare() const;

  // The share that was estimated for the rows without a verdict, away from 0 and 1; one half where
  // none was.
  double EstimatedShare() const;

  // By what the pool is ranked before anything is labeled: by the discriminant, or by the distance
  // to the nearest trusted row.
  std::vector<double> FirstScores(const Execution& execution) const;

  bool NeedsSpace() const {
    return options_.switches.metric != Metric::kEuclidean || options_.switches.discriminant;
  }
  MetricSpace MakeSpace(const Execution& execution) const;

  SoftLesson MakeLesson(const Expansion& expansion, std::span<const double> neighbor_scores) const;

  Checkpoint* checkpoint_;
  EmbeddingsView plain_trusted_;
  EmbeddingsView plain_pool_;
  Strata strata_;
  Groups groups_;
  RowVerdicts verdicts_;
  RecipeOptions options_;
  std::optional<Discriminant> discriminant_;
  // Of the trusted rows, where a step needs it.
  std::optional<Whitening> whitening_;
  // Where labels are expanded by neighbors in other coordinates than those of the embeddings.
  std::optional<MetricSpace> space_;
};

}  // namespace spuna::algorithms
