#include "pipelines/fit/fit_steps.h"

#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "algorithms/expansion/banks.h"
#include "algorithms/findings/cluster_mix.h"
#include "algorithms/recipe/fit_context.h"
#include "algorithms/rows/duplicate_rows.h"
#include "pipelines/fit/fit_groups.h"
#include "pipelines/fit/learned_rows.h"
#include "pipelines/fit/prepared_inputs.h"
#include "pipelines/run/exception_status.h"

namespace spuna {
namespace {

// The word that reports use.
std::string StopReason(algorithms::StoppedBy stopped_by) {
  switch (stopped_by) {
    case algorithms::StoppedBy::kEntropy:
      return "entropy";
    case algorithms::StoppedBy::kRounds:
      return "rounds";
    case algorithms::StoppedBy::kNoShift:
      return "no shift";
    case algorithms::StoppedBy::kExhausted:
      break;
  }
  return "exhausted";
}

FitSummary Summarize(const EmbeddingMatrix& trusted, const EmbeddingMatrix& pool,
                     const algorithms::FitContext& context,
                     const algorithms::Expansion& expansion) {
  FitSummary summary;
  summary.rows_trusted = trusted.num_rows();
  summary.rows_pool = pool.num_rows();
  summary.rows_invalid_trusted = trusted.num_invalid;
  summary.rows_invalid_pool = pool.num_invalid;
  summary.rows_trusted_in_pool =
      static_cast<std::int64_t>(algorithms::CountRowsAlsoIn(trusted.view(), pool.view()));
  summary.found = context.found();
  if (context.discriminant()) {
    summary.separation = context.discriminant()->separation;
    summary.share = context.ShareInterval();
  }
  summary.rounds = static_cast<std::int64_t>(expansion.num_rounds);
  summary.entropy = expansion.entropy;
  summary.stopped_by = StopReason(expansion.stopped_by);
  auto count = [&](algorithms::PseudoLabel label) {
    return static_cast<std::int64_t>(expansion.RowsWith(label).size());
  };
  summary.labeled_clean = count(algorithms::PseudoLabel::kClean);
  summary.labeled_shifted = count(algorithms::PseudoLabel::kShifted);
  return summary;
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

// `neighbor_scores` as FitContext::Distill wants them.
Model DistillOrThrow(const FitInput& trusted, const FitInput& pool,
                     const algorithms::FitContext& context, const algorithms::Expansion& expansion,
                     const std::vector<double>& neighbor_scores, const FitOptions& options,
                     const FitChoices& choices, StageClock& clock) {
  Model model;
  model.options = options;
  model.options.embedding = pool.column;
  model.versions = Versions();
  model.summary = Summarize(trusted.rows, pool.rows, context, expansion);
  model.summary.choices = choices;
  model.classifier = context.Distill(expansion, neighbor_scores, clock.Execution());
  if (context.discriminant()) model.watch = context.discriminant()->folds;
  return model;
}

// A step of a fit decides nothing.
arrow::Status CheckStep(const FitOptions& options) {
  const bool decides = options.decision.IsSet() || options.decision.calibration.has_value();
  if (!decides && options.stratify.empty() && options.fold_by.empty()) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "options that decide which rows are dropped, `stratify` and `fold-by` are for a whole fit, "
      "not for one of its steps");
}

bool NeedsNeighborScores(const FitChoices& choices) {
  return choices.switches.targets == algorithms::Targets::kSoft;
}

}  // namespace

arrow::Status CheckFitInputs(const FitInput& trusted, const FitInput& pool,
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

FitChoices ChooseFor(const FitInput& trusted, const FitInput& pool, const FitOptions& options) {
  return options.Choose(trusted.rows.num_rows(), pool.rows.num_rows(),
                        static_cast<std::int64_t>(pool.rows.dimension));
}

FitResult FitWithoutDecision(FitInput& trusted, FitInput& pool, const FitOptions& options,
                             const FitExtras& extras, StageClock& clock,
                             algorithms::Checkpoint* checkpoint) {
  FitResult result;
  const PreparedInputs prepared(trusted, pool, options, clock);
  const FitChoices choices = ChooseFor(trusted, pool, options);
  options.ForRecipe(choices).expansion.Validate(pool.rows.view().num_rows);
  const algorithms::Strata strata = StrataOf(trusted, pool);
  algorithms::FitContext context(trusted.rows.view(), pool.rows.view(), strata,
                                 GroupsOf(trusted, pool), pool.verdicts, options.ForRecipe(choices),
                                 clock.Execution(), checkpoint);
  std::optional<double> mix_explained;
  if (extras.mix && context.discriminant()) {
    mix_explained = algorithms::MeasureClusterMix(trusted.rows.view(), pool.rows.view(),
                                                  context.discriminant()->trusted,
                                                  context.discriminant()->pool, options.seed)
                        .explained;
  }
  result.expansion = context.Expand(clock.Execution());
  std::vector<double> neighbor_scores;
  if (extras.neighbor_scores || NeedsNeighborScores(choices)) {
    neighbor_scores = context.NeighborScores(result.expansion, clock.Execution());
  }
  context.FreeSpace();
  result.model = DistillOrThrow(trusted, pool, context, result.expansion, neighbor_scores, options,
                                choices, clock);
  prepared.AddTo(result.model);
  result.model.summary.mix_explained = mix_explained;
  if (extras.keep_banks && result.model.summary.labeled_shifted > 0) {
    result.model.banks =
        algorithms::MakeBanks(trusted.rows.view(), pool.rows.view(), result.expansion);
  }
  result.expansion = prepared.OfAllRows(std::move(result.expansion));
  if (extras.neighbor_scores) {
    // Without labels there is nothing to be near to.
    if (neighbor_scores.empty()) neighbor_scores.assign(pool.rows.view().num_rows, NAN);
    result.neighbor_scores = prepared.OfAllRows(neighbor_scores);
  }
  return result;
}

arrow::Result<algorithms::Expansion> Expand(FitInput trusted, FitInput pool,
                                            const FitOptions& options, StageClock& clock) {
  ARROW_RETURN_NOT_OK(CheckFitInputs(trusted, pool, options));
  ARROW_RETURN_NOT_OK(CheckStep(options));
  return CatchExceptions([&]() -> arrow::Result<algorithms::Expansion> {
    LearnedRows learned(std::move(trusted), options.recipe);
    const PreparedInputs prepared(learned.rows(), pool, options, clock);
    const FitChoices choices = ChooseFor(learned.rows(), pool, options);
    const algorithms::Strata strata = StrataOf(learned.rows(), pool);
    return prepared.OfAllRows(algorithms::FitContext(learned.rows().rows.view(), pool.rows.view(),
                                                     strata, {}, {}, options.ForRecipe(choices),
                                                     clock.Execution())
                                  .Expand(clock.Execution()));
  });
}

arrow::Result<Model> Distill(FitInput trusted, FitInput pool, const algorithms::Expansion& labels,
                             const FitOptions& options, StageClock& clock) {
  ARROW_RETURN_NOT_OK(CheckFitInputs(trusted, pool, options));
  ARROW_RETURN_NOT_OK(CheckStep(options));
  return CatchExceptions([&]() -> arrow::Result<Model> {
    LearnedRows learned(std::move(trusted), options.recipe);
    const PreparedInputs prepared(learned.rows(), pool, options, clock);
    const algorithms::Expansion expansion = prepared.OfLearnedRows(labels);
    const FitChoices choices = ChooseFor(learned.rows(), pool, options);
    const algorithms::Strata strata = StrataOf(learned.rows(), pool);
    algorithms::FitContext context(learned.rows().rows.view(), pool.rows.view(), strata, {}, {},
                                   options.ForRecipe(choices), clock.Execution());
    std::vector<double> neighbor_scores;
    if (NeedsNeighborScores(choices)) {
      neighbor_scores = context.NeighborScores(expansion, clock.Execution());
    }
    context.FreeSpace();
    Model model = DistillOrThrow(learned.rows(), pool, context, expansion, neighbor_scores, options,
                                 choices, clock);
    prepared.AddTo(model);
    learned.Describe(model.summary);
    model.decision.far = model.options.ChosenFar().value_or(FarRows::kKeep);
    return model;
  });
}

}  // namespace spuna
