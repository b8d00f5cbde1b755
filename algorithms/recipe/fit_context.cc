#include "algorithms/recipe/fit_context.h"

#include <algorithm>

#include "algorithms/classifier/distillation.h"
#include "algorithms/expansion/neighbor_score.h"
#include "algorithms/recipe/soft_distillation.h"

namespace spuna::algorithms {
namespace {

// The expansion needs some rows on either side.
constexpr double kLeastShare = 0.01;

}  // namespace

FitContext::FitContext(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                       const Strata& strata, const RecipeOptions& options,
                       const Execution& execution, Checkpoint* checkpoint)
    : checkpoint_(checkpoint),
      plain_trusted_(trusted),
      plain_pool_(pool),
      strata_(strata),
      options_(options) {
  const Switches& switches = options.switches;
  RequireRows(trusted, pool);
  RequireSpread(pool);
  if (switches.NeedCrossFitting()) {
    if (checkpoint_ != nullptr) discriminant_ = checkpoint_->FindDiscriminant();
    if (!discriminant_) {
      discriminant_ = CrossFit(trusted, pool, strata, options.network, execution);
      if (checkpoint_ != nullptr) checkpoint_->Keep(*discriminant_);
    }
    if (switches.sides == Sides::kShare && discriminant_) {
      options_.expansion.share =
          std::clamp(discriminant_->share.estimate, kLeastShare, 1 - kLeastShare);
    }
  }
  const bool is_whitened =
      switches.metric == Metric::kWhitened || switches.metric == Metric::kContrast;
  if (is_whitened || DistillsSoftly()) whitening_ = FitWhitening(trusted);
  if (switches.metric != Metric::kEuclidean || switches.discriminant) {
    space_ = MakeMetricSpace(trusted, pool, switches.metric, whitening_ ? &*whitening_ : nullptr,
                             switches.discriminant && discriminant_ ? &*discriminant_ : nullptr,
                             execution);
  }
}

Expansion FitContext::Expand(const Execution& execution) const {
  if (!found()) return NoLabels(plain_pool_.num_rows);
  const bool cross_fitted = options_.switches.seeds == Seeds::kCrossFitted;
  ExpansionRecord record;
  if (checkpoint_ != nullptr) {
    record.begin = checkpoint_->FindExpansion();
    record.on_round = [this](const Expansion& expansion) { checkpoint_->Keep(expansion); };
  }
  return ExpandLabels(trusted(), pool(), options_.expansion, execution,
                      cross_fitted && discriminant_ ? std::span<const double>(discriminant_->pool)
                                                    : std::span<const double>(),
                      record);
}

std::vector<double> FitContext::NeighborScores(const Expansion& expansion,
                                               const Execution& execution) const {
  if (expansion.RowsWith(PseudoLabel::kShifted).empty()) return {};
  execution.Report({Stage::kNeighborScore});
  return ScorePoolByNeighbors(trusted(), pool(), expansion, options_.expansion.num_neighbors,
                              options_.expansion.search, execution);
}

Classifier FitContext::Distill(const Expansion& expansion,
                               const std::vector<double>& neighbor_scores,
                               const Execution& execution) const {
  if (!DistillsSoftly() || !whitening_) {
    return algorithms::Distill(plain_trusted_, plain_pool_, expansion, options_.distillation,
                               execution);
  }
  const Evidence evidence{discriminant_ ? &*discriminant_ : nullptr, neighbor_scores, &strata_};
  return DistillSoftly(plain_trusted_, plain_pool_, *whitening_, evidence, found(),
                       options_.network, execution);
}

}  // namespace spuna::algorithms
