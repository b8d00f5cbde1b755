#include "pipelines/fit/fit.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/findings/normalization.h"
#include "algorithms/rows/near_copies.h"
#include "pipelines/fit/findings_maker.h"
#include "pipelines/fit/fit_groups.h"
#include "pipelines/fit/fit_steps.h"
#include "pipelines/fit/held_back_fit.h"
#include "pipelines/fit/learned_rows.h"
#include "pipelines/model/row_scores.h"
#include "pipelines/run/exception_status.h"

namespace spuna {
namespace {

// The banks of a model are measured against rows as they are.
arrow::Status CheckExtras(const FitChoices& choices, const FitExtras& extras) {
  const bool is_plain =
      choices.switches.metric == algorithms::Metric::kEuclidean && !choices.switches.discriminant;
  if (is_plain || !extras.keep_banks) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "keeping the banks needs `metric` euclidean and `discriminant` off, as in `recipe` paper: a "
      "model scores by neighbors in the embeddings' own coordinates only");
}

// What the rows to look at score at least.
double LowestOfHighest(std::span<const float> scores) {
  std::vector<float> sorted(scores.begin(), scores.end());
  const std::size_t count = std::min(kRowsToLookAt, sorted.size());
  std::nth_element(sorted.begin(), sorted.end() - static_cast<std::ptrdiff_t>(count), sorted.end());
  return count == 0 ? 0 : sorted[sorted.size() - count];
}

// Lets the model decide, and scores the pool where that or the caller needs it.
void DecideAfter(const EmbeddingMatrix& pool, const FitExtras& extras, StageClock& clock,
                 FitResult& result) {
  Model& model = result.model;
  const DecisionOptions& options = model.options.decision;
  const bool needs_scores = extras.pool_scores || extras.findings || extras.examine != nullptr ||
                            !model.summary.found || options.keep_share.has_value() ||
                            options.max_false_drops.has_value();
  const FarRows far = model.options.ChosenFar().value_or(FarRows::kKeep);
  PoolScores scores;
  scores.shift_found = model.summary.found;
  RowScores& found = result.pool;
  std::vector<float> ranked;
  if (needs_scores) {
    // Folds decide by p-values.
    const bool p_values =
        options.max_false_drops || (extras.findings && !model.calibration.folds.empty());
    found = ScoreRows(model, pool.view(), {far, p_values, false}, clock.Execution());
    ranked = found.deciding();
    // A share of the pool is kept without the rows that are dropped for being odd.
    for (std::size_t i = 0; i < ranked.size() && far != FarRows::kKeep; ++i) {
      if (found.EvidenceOf(i).is_odd) ranked[i] = Decision::kDropNone;
    }
    scores.scores = ranked;
    scores.p_values = found.p_values;
    if (!model.summary.found) model.summary.highest_scores_from = LowestOfHighest(found.scores);
  }
  if (options.max_false_drops && model.summary.share) {
    scores.clean_share = 1 - model.summary.share->low;
  }
  model.decision = Decide(options, model.calibration, scores);
  model.decision.far = far;
}

// Leaves the reviewed rows of other inputs out of a pool, and of what is said of it.
void LeaveOutside(FitInput& pool, FitResult& result) {
  if (pool.num_outside == 0) return;
  const auto num_outside = static_cast<std::size_t>(pool.num_outside);
  const std::size_t num_valid = pool.rows.view().num_rows - num_outside;
  std::int64_t num_shifted = 0;
  for (std::size_t row = num_valid; row < pool.verdicts.size(); ++row) {
    if (pool.verdicts[row] == algorithms::RowVerdict::kShifted) ++num_shifted;
  }
  pool.rows.values.resize(num_valid * static_cast<std::size_t>(pool.rows.dimension));
  pool.rows.valid.resize(pool.rows.valid.size() - num_outside);
  pool.verdicts.resize(num_valid);
  if (!pool.ids.empty()) pool.ids.resize(num_valid);
  pool.num_outside = 0;
  DescribePoolAlone(pool.rows, static_cast<std::int64_t>(num_outside), num_shifted, result);
}

// What the inputs of a fit are like, as far as it may mislead.
void DescribeInputs(const EmbeddingMatrix& trusted, const EmbeddingMatrix& pool,
                    FitSummary& summary) {
  const double distance = algorithms::NearCopyDistance(trusted.view());
  if (distance > 0) {
    const auto num_near = static_cast<std::int64_t>(
        algorithms::CountNearCopies(trusted.view(), pool.view(), distance));
    summary.rows_trusted_nearly_in_pool =
        std::max<std::int64_t>(num_near - summary.rows_trusted_in_pool, 0);
  }
  summary.normalization = algorithms::FindNormalizationGap(trusted.view(), pool.view());
}

arrow::Result<FitResult> FitAndDecide(FitInput& trusted, FitInput pool, const FitOptions& options,
                                      const FitExtras& extras, StageClock& clock,
                                      algorithms::Checkpoint* checkpoint) {
  const Calibration calibration = options.decision.ChosenCalibration();
  FitResult result;
  if (calibration == Calibration::kNone) {
    result = FitWithoutDecision(trusted, pool, options, extras, clock, checkpoint);
  } else {
    // What is held out is a group: a row where rows stand alone.
    ARROW_ASSIGN_OR_RAISE(
        const std::int64_t num_held_out,
        CountCalibrationRows(options.decision,
                             static_cast<std::int64_t>(RowsByGroup(trusted).size()),
                             trusted.groups.empty() ? "rows" : "groups"));
    const FitFunction fit = [&](FitInput& some_trusted, FitInput& more_pool,
                                const FitExtras& some_extras, bool resumes) {
      return FitWithoutDecision(some_trusted, more_pool, options, some_extras, clock,
                                resumes ? checkpoint : nullptr);
    };
    result = calibration == Calibration::kSplit
                 ? FitWithSplit(trusted, pool, num_held_out, options.seed, extras, fit, clock)
                 : FitWithCross(trusted, pool, options.seed, extras, fit, clock);
  }
  LeaveOutside(pool, result);
  DescribeInputs(trusted.rows, pool.rows, result.model.summary);
  DecideAfter(pool.rows, extras, clock, result);
  if (extras.findings) result.findings = MakeFindings(trusted, pool, result, clock);
  if (extras.examine != nullptr) (*extras.examine)(trusted, pool, result);
  result.pool_valid = std::move(pool.rows.valid);
  clock.Pause();
  return result;
}

// Which trusted rows a model would drop, where it decides by a threshold.
void DescribeAbove(const LearnedRows& learned, StageClock& clock, Model& model) {
  if (model.decision.NeedsPValues()) return;
  const FitInput& rows = learned.rows();
  algorithms::Execution execution = clock.Execution();
  execution.on_progress = nullptr;
  const RowScores found =
      ScoreRows(model, rows.rows.view(), {model.decision.far, false, false}, execution);
  FitSummary& summary = model.summary;
  for (std::uint32_t row = 0; row < found.scores.size(); ++row) {
    if (!model.decision.Drops(found.EvidenceOf(row))) continue;
    if (++summary.rows_trusted_above > kTrustedRowsNamed) continue;
    summary.first_trusted_above.push_back(learned.NumberOf(row));
    if (!rows.ids.empty()) summary.ids_trusted_above.push_back(rows.ids[row]);
  }
}

}  // namespace

arrow::Result<FitResult> Fit(FitInput trusted, FitInput pool, const FitOptions& options,
                             const FitExtras& extras, StageClock& clock,
                             algorithms::Checkpoint* checkpoint) {
  ARROW_RETURN_NOT_OK(CheckFitInputs(trusted, pool, options));
  if (!options.stratify.empty() && (trusted.classes.empty() || pool.classes.empty())) {
    return arrow::Status::Invalid(
        "`stratify` needs a column of classes, which a node of a plan does not read; fit on files "
        "or "
        "on a stream");
  }
  ARROW_RETURN_NOT_OK(CheckGroups(trusted, pool, options.fold_by));
  ARROW_RETURN_NOT_OK(CheckExtras(ChooseFor(trusted, pool, options), extras));
  return CatchExceptions([&]() -> arrow::Result<FitResult> {
    LearnedRows learned(std::move(trusted), options.recipe);
    ARROW_ASSIGN_OR_RAISE(FitResult result, FitAndDecide(learned.rows(), std::move(pool), options,
                                                         extras, clock, checkpoint));
    learned.Describe(result.model.summary);
    DescribeAbove(learned, clock, result.model);
    return result;
  });
}

}  // namespace spuna
