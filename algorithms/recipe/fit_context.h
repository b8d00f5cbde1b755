#pragma once

#include <optional>
#include <vector>

#include "algorithms/classifier/classifier.h"
#include "algorithms/compute/execution.h"
#include "algorithms/expansion/expansion.h"
#include "algorithms/recipe/checkpoint.h"
#include "algorithms/recipe/discriminant.h"
#include "algorithms/recipe/metric_space.h"
#include "algorithms/recipe/switches.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/strata.h"
#include "algorithms/space/whitening.h"

namespace spuna::algorithms {

/// What the steps of a fit share: the pool and the trusted rows in the metric's coordinates, and
/// the discriminant. The views of rows in plain coordinates are those of the embeddings.
class FitContext {
 public:
  /// The views must outlive it, and so must the checkpoint, which may be null.
  FitContext(const EmbeddingsView& trusted, const EmbeddingsView& pool, const Strata& strata,
             const RecipeOptions& options, const Execution& execution,
             Checkpoint* checkpoint = nullptr);

  EmbeddingsView trusted() const { return space_ ? space_->trusted.view() : plain_trusted_; }
  EmbeddingsView pool() const { return space_ ? space_->pool.view() : plain_pool_; }
  const std::optional<Discriminant>& discriminant() const { return discriminant_; }

  /// Whether trusted rows and pool can be told apart, at the level of 5 %. Without a discriminant
  /// nobody asked.
  bool found() const { return !discriminant_ || discriminant_->separation.Found(); }

  /// The pool's labels; none where nothing was found.
  Expansion Expand(const Execution& execution) const;

  /// The pool's score without classifier. Empty where there are no labels.
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
  bool DistillsSoftly() const { return options_.switches.targets == Targets::kSoft || !found(); }

  Checkpoint* checkpoint_;
  EmbeddingsView plain_trusted_;
  EmbeddingsView plain_pool_;
  Strata strata_;
  RecipeOptions options_;
  std::optional<Discriminant> discriminant_;
  // Of the trusted rows, where a step needs it.
  std::optional<Whitening> whitening_;
  std::optional<MetricSpace> space_;
};

}  // namespace spuna::algorithms
