#include "algorithms/recipe/fit_context.h"

#include <algorithm>

#include "algorithms/classifier/distillation.h"
#include "algorithms/expansion/neighbor_score.h"
#include "algorithms/neighbors/neighbor_index.h"
#include "algorithms/recipe/refinement.h"

namespace spuna::algorithms {
namespace {

// The expansion needs some rows on either side.
constexpr double kLeastShare = 0.01;
constexpr double kSmallestShare = 0.001;

double AwayFromEnds(double share) { return std::clamp(share, kSmallestShare, 1 - kSmallestShare); }

}  // namespace

FitContext::FitContext(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                       const Strata& strata, const Groups& groups, const RowVerdicts& verdicts,
                       const RecipeOptions& options, const Execution& execution,
                       Checkpoint* checkpoint)
    : checkpoint_(checkpoint),
      plain_trusted_(trusted),
      plain_pool_(pool),
      strata_(strata),
      groups_(groups),
      verdicts_(verdicts),
      options_(options) {
  const Switches& switches = options.switches;
  RequireRows(trusted, pool);
  RequireSpread(pool);
  if (switches.NeedCrossFitting()) {
    if (checkpoint_ != nullptr) discriminant_ = checkpoint_->FindDiscriminant();
    if (!discriminant_) {
      discriminant_ =
          CrossFit(trusted, pool, strata, groups, verdicts_, options.network, execution);
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
  if (switches.ExpandByNeighbors() && NeedsSpace()) space_ = MakeSpace(execution);
}

MetricSpace FitContext::MakeSpace(const Execution& execution) const {
  return MakeMetricSpace(
      plain_trusted_, plain_pool_, options_.switches.metric, whitening_ ? &*whitening_ : nullptr,
      options_.switches.discriminant && discriminant_ ? &*discriminant_ : nullptr, execution);
}

double FitContext::LabelShare() const {
  return options_.switches.sides == Sides::kEven ? 0.5 : EstimatedShare();
}

double FitContext::EstimatedShare() const {
  if (!discriminant_) return 0.5;
  return AwayFromEnds(discriminant_->share.estimate);
}

Share FitContext::ShareInterval() const {
  Share share = discriminant_->share;
  if (verdicts_.empty()) return share;
  const auto num_rows = static_cast<double>(verdicts_.size());
  const auto num_shifted = static_cast<double>(std::ranges::count(verdicts_, RowVerdict::kShifted));
  const auto num_open = static_cast<double>(std::ranges::count(verdicts_, RowVerdict::kNone));
  for (double* const value : {&share.estimate, &share.low, &share.high}) {
    *value = (*value * num_open + num_shifted) / num_rows;
  }
  return share;
}

std::vector<double> FitContext::FirstScores(const Execution& execution) const {
  if (options_.switches.seeds == Seeds::kCrossFitted) return discriminant_->pool;
  const Matrix trusted = whitening_->Apply(plain_trusted_, execution);
  const Matrix pool = whitening_->Apply(plain_pool_, execution);
  NearestDistances nearest(plain_pool_.num_rows, 1);
  const RowNumbers all = AllRows(plain_pool_.num_rows);
  MakeNeighborIndex(options_.expansion.search, trusted.view(), 1)
      ->MergeNearest({pool.view(), all}, execution, nearest);
  std::vector<double> scores;
  for (const std::uint32_t row : all) scores.push_back(nearest.Minimum(row));
  return scores;
}

Expansion FitContext::Expand(const Execution& execution) const {
  if (!found()) return NoLabels(plain_pool_.num_rows);
  ExpansionRecord record;
  if (checkpoint_ != nullptr) {
    record.begin = checkpoint_->FindExpansion();
    record.on_round = [this](const Expansion& expansion) { checkpoint_->Keep(expansion); };
  }
  if (!options_.switches.ExpandByNeighbors()) {
    RefinementOptions refinement;
    refinement.share = LabelShare();
    refinement.network_weight = discriminant_->network_weight;
    if (options_.switches.targets != Targets::kRefined) refinement.max_rounds = 0;
    refinement.epsilon = options_.expansion.epsilon;
    refinement.on_stop = options_.expansion.on_stop;
    refinement.network = options_.network;
    return RefineLabels(plain_trusted_, plain_pool_, strata_, groups_, verdicts_, *whitening_,
                        FirstScores(execution), refinement, execution, record);
  }
  const bool cross_fitted = options_.switches.seeds == Seeds::kCrossFitted;
  return ExpandLabels(space_ ? space_->trusted.view() : plain_trusted_,
                      space_ ? space_->pool.view() : plain_pool_, options_.expansion, execution,
                      cross_fitted && discriminant_ ? std::span<const double>(discriminant_->pool)
                                                    : std::span<const double>(),
                      record);
}

std::vector<double> FitContext::NeighborScores(const Expansion& expansion,
                                               const Execution& execution) const {
  if (expansion.RowsWith(PseudoLabel::kShifted).empty()) return {};
  execution.Report({Stage::kNeighborScore});
  std::optional<MetricSpace> made;
  if (!space_ && NeedsSpace()) made = MakeSpace(execution);
  const std::optional<MetricSpace>& space = space_ ? space_ : made;
  return ScorePoolByNeighbors(
      space ? space->trusted.view() : plain_trusted_, space ? space->pool.view() : plain_pool_,
      expansion, options_.expansion.num_neighbors, options_.expansion.search, execution);
}

SoftLesson FitContext::MakeLesson(const Expansion& expansion,
                                  std::span<const double> neighbor_scores) const {
  SoftLesson lesson;
  lesson.found = found();
  lesson.share = discriminant_ ? AwayFromEnds(ShareInterval().estimate) : EstimatedShare();
  if (discriminant_) lesson.network_weight = discriminant_->LearnedNetworkWeight(found());
  const Targets targets = options_.switches.targets;
  if (targets == Targets::kPool) {
    lesson.targets = TargetsOfPool(plain_pool_.num_rows);
  } else if (targets == Targets::kRefined && found() && LabelShare() < kLargestRefinedShare) {
    lesson.targets = TargetsOfLabels(expansion.labels, LabelShare());
  } else {
    lesson.curve = CurveOf(
        plain_pool_.num_rows,
        {discriminant_ ? std::span<const double>(discriminant_->pool) : std::span<const double>(),
         targets == Targets::kSoft ? neighbor_scores : std::span<const double>()});
    lesson.targets = TargetsOfLogits(lesson.curve, lesson.share, found());
  }
  LearnVerdicts(verdicts_, lesson.targets);
  lesson.offsets = StratumOffsets(strata_, lesson.targets.network);
  return lesson;
}

Classifier FitContext::Distill(const Expansion& expansion,
                               const std::vector<double>& neighbor_scores,
                               const Execution& execution) const {
  if (!DistillsSoftly() || !whitening_) {
    return algorithms::Distill(plain_trusted_, plain_pool_, expansion, options_.distillation,
                               execution);
  }
  return DistillSoftly(plain_trusted_, plain_pool_, *whitening_,
                       MakeLesson(expansion, neighbor_scores), options_.network, execution);
}

}  // namespace spuna::algorithms
