#include "pipelines/fit/fit.h"

#include <arrow/record_batch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "algorithms/recipe/fit_context.h"
#include "algorithms/expansion/banks.h"
#include "algorithms/rows/duplicate_rows.h"
#include "pipelines/fit/held_back_fit.h"
#include "pipelines/run/exception_status.h"

namespace spuna {
namespace {

FitSummary Summarize(const EmbeddingMatrix& trusted, const EmbeddingMatrix& pool,
                     const algorithms::FitContext& ground, const algorithms::Expansion& expansion) {
  FitSummary summary;
  summary.rows_trusted = trusted.num_rows();
  summary.rows_pool = pool.num_rows();
  summary.rows_invalid_trusted = trusted.num_invalid;
  summary.rows_invalid_pool = pool.num_invalid;
  summary.rows_trusted_in_pool =
      static_cast<std::int64_t>(algorithms::CountRowsAlsoIn(trusted.view(), pool.view()));
  summary.found = ground.found();
  if (ground.discriminant()) {
    summary.separation = ground.discriminant()->separation;
    summary.share = ground.discriminant()->share;
  }
  summary.rounds = static_cast<std::int64_t>(expansion.num_rounds);
  summary.entropy = expansion.entropy;
  summary.stopped_by = ToString(expansion.stopped_by);
  auto count = [&](algorithms::PseudoLabel label) {
    return static_cast<std::int64_t>(expansion.RowsWith(label).size());
  };
  summary.labeled_clean = count(algorithms::PseudoLabel::kClean);
  summary.labeled_shifted = count(algorithms::PseudoLabel::kShifted);
  return summary;
}

// What can be said against a fit before it starts.
arrow::Status CheckInputs(const FitInput& trusted, const FitInput& pool,
                          const FitOptions& options) {
  ARROW_RETURN_NOT_OK(options.Validate());
  ARROW_RETURN_NOT_OK(trusted.rows.RequireRows("trusted", trusted.where));
  ARROW_RETURN_NOT_OK(pool.rows.RequireRows("pool", pool.where));
  if (trusted.rows.dimension == pool.rows.dimension) return arrow::Status::OK();
  return arrow::Status::Invalid("`pool`: column '", pool.column, "' of ", pool.where,
                                ": expected dimension ", trusted.rows.dimension,
                                ", that of column '", trusted.column, "' of the trusted rows in ",
                                trusted.where, ", but found ", pool.rows.dimension);
}

// The classes of both inputs as numbers, in the order of their names.
algorithms::Strata StrataOf(const FitInput& trusted, const FitInput& pool) {
  algorithms::Strata strata;
  std::map<std::string, std::uint32_t> numbers;
  for (const FitInput* input : {&trusted, &pool}) {
    for (const std::string& name : input->classes) numbers[name] = 0;
  }
  if (numbers.empty()) return strata;
  std::uint32_t next = 0;
  for (auto& [name, number] : numbers) number = next++;
  for (const std::string& name : trusted.classes) strata.trusted.push_back(numbers[name]);
  for (const std::string& name : pool.classes) strata.pool.push_back(numbers[name]);
  strata.count = numbers.size();
  return strata;
}

FitChoices ChooseFor(const FitInput& trusted, const FitInput& pool, const FitOptions& options) {
  return options.Choose(trusted.rows.num_rows(), pool.rows.num_rows(),
                        static_cast<std::int64_t>(pool.rows.dimension));
}

// `neighbor_scores` as FitContext::Distill wants them.
Model DistillOrThrow(const FitInput& trusted, const FitInput& pool,
                     const algorithms::FitContext& ground, const algorithms::Expansion& expansion,
                     const std::vector<double>& neighbor_scores, const FitOptions& options,
                     const FitChoices& choices, StageClock& clock) {
  Model model;
  model.options = options;
  model.options.embedding = pool.column;
  model.versions = Versions();
  model.summary = Summarize(trusted.rows, pool.rows, ground, expansion);
  model.summary.choices = choices;
  model.classifier = ground.Distill(expansion, neighbor_scores, clock.Execution());
  if (ground.discriminant()) model.watch = ground.discriminant()->folds;
  return model;
}

// The banks of a model are measured against rows as they are.
arrow::Status CheckExtras(const FitChoices& choices, const FitExtras& extras) {
  const bool is_plain =
      choices.switches.metric == algorithms::Metric::kEuclidean && !choices.switches.discriminant;
  if (is_plain || !extras.keep_banks) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "keeping the banks needs `metric` euclidean and `discriminant` off, as in `recipe` paper: a "
      "model scores by neighbors in the embeddings' own coordinates only");
}

// A step of a fit decides nothing.
arrow::Status CheckStep(const FitOptions& options) {
  const bool decides = options.decision.IsSet() || options.decision.calibration.has_value();
  if (!decides && options.stratify.empty()) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "options that decide which rows are dropped, and `stratify`, are for a whole fit, not for "
      "one "
      "of its steps");
}

bool NeedsNeighborScores(const FitChoices& choices) {
  return choices.switches.targets == algorithms::Targets::kSoft;
}

// A fit on rows as they are given, without calibration.
FitResult FitPlainly(const FitInput& trusted, const FitInput& pool, const FitOptions& options,
                     const FitExtras& extras, StageClock& clock,
                     algorithms::Checkpoint* checkpoint) {
  FitResult result;
  const FitChoices choices = ChooseFor(trusted, pool, options);
  options.ForRecipe(choices).expansion.Validate(pool.rows.view().num_rows);
  const algorithms::Strata strata = StrataOf(trusted, pool);
  algorithms::FitContext ground(trusted.rows.view(), pool.rows.view(), strata,
                            options.ForRecipe(choices), clock.Execution(), checkpoint);
  if (extras.findings && ground.discriminant()) {
    result.mix = algorithms::MeasureClusterMix(trusted.rows.view(), pool.rows.view(),
                                               ground.discriminant()->trusted,
                                               ground.discriminant()->pool, options.seed);
  }
  result.expansion = ground.Expand(clock.Execution());
  std::vector<double> neighbor_scores;
  if (extras.neighbor_scores || NeedsNeighborScores(choices)) {
    neighbor_scores = ground.NeighborScores(result.expansion, clock.Execution());
  }
  ground.FreeSpace();
  result.model = DistillOrThrow(trusted, pool, ground, result.expansion, neighbor_scores, options,
                                choices, clock);
  if (extras.keep_banks && result.model.summary.labeled_shifted > 0) {
    result.model.banks =
        algorithms::MakeBanks(trusted.rows.view(), pool.rows.view(), result.expansion);
  }
  if (extras.neighbor_scores) {
    // Without labels there is nothing to be near to.
    if (neighbor_scores.empty()) neighbor_scores.assign(pool.rows.view().num_rows, NAN);
    result.neighbor_scores = std::move(neighbor_scores);
  }
  return result;
}

// Lets the model decide, and scores the pool where that or the caller needs it.
void DecideAfter(const EmbeddingMatrix& pool, const FitExtras& extras, StageClock& clock,
                 FitResult& result) {
  Model& model = result.model;
  const DecisionOptions& options = model.options.decision;
  const bool needs_scores = extras.pool_scores || extras.findings ||
                            options.keep_share.has_value() || options.max_false_drops.has_value();
  PoolScores scores;
  std::vector<double> p_values;
  if (needs_scores) {
    result.pool_scores = model.classifier.Score(pool.view(), clock.Execution());
    scores.scores = result.pool_scores;
  }
  if (options.max_false_drops) {
    p_values =
        algorithms::PValues(model.calibration, pool.view(), result.pool_scores, clock.Execution());
    scores.p_values = p_values;
    if (model.summary.share) scores.clean_share = 1 - model.summary.share->low;
  }
  model.decision = Decide(options, model.calibration, scores);
}

arrow::Result<FitResult> FitAndDecide(const FitInput& trusted, FitInput pool,
                                      const FitOptions& options, const FitExtras& extras,
                                      StageClock& clock, algorithms::Checkpoint* checkpoint) {
  const Calibration calibration = options.decision.ChosenCalibration();
  FitResult result;
  if (calibration == Calibration::kNone) {
    result = FitPlainly(trusted, pool, options, extras, clock, checkpoint);
  } else {
    ARROW_ASSIGN_OR_RAISE(const std::int64_t num_held_back,
                          CountCalibrationRows(options.decision, trusted.rows.num_rows()));
    const FitFunction fit = [&](const FitInput& some_trusted, const FitInput& more_pool,
                                const FitExtras& some_extras, bool goes_on) {
      return FitPlainly(some_trusted, more_pool, options, some_extras, clock,
                        goes_on ? checkpoint : nullptr);
    };
    result = calibration == Calibration::kSplit
                 ? FitWithSplit(trusted, pool, num_held_back, options.seed, extras, fit, clock)
                 : FitWithCross(trusted, pool, options.seed, extras, fit, clock);
  }
  DecideAfter(pool.rows, extras, clock, result);
  if (extras.findings) result.findings = MakeFindings(trusted, pool, result, clock);
  result.pool_valid = std::move(pool.rows.valid);
  clock.Pause();
  return result;
}

}  // namespace

arrow::Status FitInput::Append(const arrow::RecordBatch& batch, InvalidRows invalid,
                               std::int64_t first_row) {
  return rows.Append(batch.GetColumnByName(column), invalid, {column, where, first_row});
}

arrow::Result<FitResult> Fit(const FitInput& trusted, FitInput pool, const FitOptions& options,
                             const FitExtras& extras, StageClock& clock,
                             algorithms::Checkpoint* checkpoint) {
  ARROW_RETURN_NOT_OK(CheckInputs(trusted, pool, options));
  if (!options.stratify.empty() && (trusted.classes.empty() || pool.classes.empty())) {
    return arrow::Status::Invalid("`stratify` is for fits on Parquet files");
  }
  ARROW_RETURN_NOT_OK(CheckExtras(ChooseFor(trusted, pool, options), extras));
  return CatchExceptions([&]() -> arrow::Result<FitResult> {
    return FitAndDecide(trusted, std::move(pool), options, extras, clock, checkpoint);
  });
}

arrow::Result<algorithms::Expansion> Expand(const FitInput& trusted, const FitInput& pool,
                                            const FitOptions& options, StageClock& clock) {
  ARROW_RETURN_NOT_OK(CheckInputs(trusted, pool, options));
  ARROW_RETURN_NOT_OK(CheckStep(options));
  return CatchExceptions([&]() -> arrow::Result<algorithms::Expansion> {
    const FitChoices choices = ChooseFor(trusted, pool, options);
    const algorithms::Strata strata = StrataOf(trusted, pool);
    return algorithms::FitContext(trusted.rows.view(), pool.rows.view(), strata,
                              options.ForRecipe(choices), clock.Execution())
        .Expand(clock.Execution());
  });
}

arrow::Result<Model> Distill(const FitInput& trusted, const FitInput& pool,
                             const algorithms::Expansion& expansion, const FitOptions& options,
                             StageClock& clock) {
  ARROW_RETURN_NOT_OK(CheckInputs(trusted, pool, options));
  ARROW_RETURN_NOT_OK(CheckStep(options));
  return CatchExceptions([&]() -> arrow::Result<Model> {
    const FitChoices choices = ChooseFor(trusted, pool, options);
    const algorithms::Strata strata = StrataOf(trusted, pool);
    algorithms::FitContext ground(trusted.rows.view(), pool.rows.view(), strata,
                              options.ForRecipe(choices), clock.Execution());
    std::vector<double> neighbor_scores;
    if (NeedsNeighborScores(choices)) {
      neighbor_scores = ground.NeighborScores(expansion, clock.Execution());
    }
    ground.FreeSpace();
    return DistillOrThrow(trusted, pool, ground, expansion, neighbor_scores, options, choices,
                          clock);
  });
}

}  // namespace spuna
