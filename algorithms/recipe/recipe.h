#pragma once

#include <optional>
#include <vector>

#include "algorithms/classifier/classifier.h"
#include "algorithms/classifier/distillation.h"
#include "algorithms/classifier/soft_network.h"
#include "algorithms/expansion/expansion.h"
#include "algorithms/recipe/checkpoint.h"
#include "algorithms/recipe/discriminant.h"
#include "algorithms/recipe/metric_space.h"
#include "algorithms/rows/strata.h"

namespace spuna::algorithms {

/// What the expansion starts from.
enum class Seeds {
  kDistance,     ///< the distance to the nearest trusted row
  kCrossFitted,  ///< the cross-fitted answer to "trusted or pool?"
};

/// What the network learns.
enum class Targets {
  kLabels,  ///< the labels, by the paper's distillation
  kSoft,    ///< discriminant and neighbor score as soft labels of all pool rows
};

/// How large a part of the pool the expansion takes for shifted in the end.
enum class Sides {
  kEven,   ///< half of it
  kShare,  ///< the estimated share
};

/// The switches in which the paper's recipe and ours differ.
struct Switches {
  Metric metric = Metric::kEuclidean;
  Seeds seeds = Seeds::kDistance;
  bool discriminant = false;
  Sides sides = Sides::kEven;
  Targets targets = Targets::kLabels;

  /// Whether any of them needs the cross-fitted discriminant.
  bool NeedCrossFitting() const {
    return seeds == Seeds::kCrossFitted || discriminant || sides == Sides::kShare;
  }
};

struct RecipeOptions {
  Switches switches;
  ExpansionOptions expansion;
  /// For labels.
  DistillationOptions distillation;
  /// For the discriminant and for soft targets.
  SoftNetworkOptions network;
};

/// What the steps of a fit stand on: the pool and the trusted rows in the metric's coordinates, and
/// the discriminant. The views of rows in plain coordinates are those of the embeddings.
class Ground {
 public:
  /// The views must outlive it, and so must the checkpoint, which may be null.
  Ground(const EmbeddingsView& trusted, const EmbeddingsView& pool, const Strata& strata,
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
