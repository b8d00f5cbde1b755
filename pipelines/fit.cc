#include "pipelines/fit.h"

#include <arrow/record_batch.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "algorithms/banks.h"
#include "algorithms/duplicate_rows.h"
#include "pipelines/exception_status.h"
#include "pipelines/fit_checkpoint.h"
#include "pipelines/memory.h"

namespace spuna {
namespace {

FitSummary Summarize(const EmbeddingMatrix& trusted, const EmbeddingMatrix& pool,
                     const algorithms::Ground& ground, const algorithms::Expansion& expansion) {
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

algorithms::Ground MakeGround(const FitInput& trusted, const FitInput& pool,
                              const FitOptions& options, const FitChoices& choices,
                              StageClock& clock, algorithms::Checkpoint* checkpoint = nullptr) {
  return {trusted.rows.view(), pool.rows.view(), options.ForRecipe(choices), clock.Execution(),
          checkpoint};
}

FitChoices ChooseFor(const FitInput& trusted, const FitInput& pool, const FitOptions& options) {
  return options.Choose(trusted.rows.num_rows(), pool.rows.num_rows(),
                        static_cast<std::int64_t>(pool.rows.dimension));
}

// `neighbor_scores` as Ground::Distill wants them.
Model DistillOrThrow(const FitInput& trusted, const FitInput& pool,
                     const algorithms::Ground& ground, const algorithms::Expansion& expansion,
                     const std::vector<double>& neighbor_scores, const FitOptions& options,
                     const FitChoices& choices, StageClock& clock) {
  Model model;
  model.options = options;
  model.options.embedding = pool.column;
  model.versions = Versions();
  model.summary = Summarize(trusted.rows, pool.rows, ground, expansion);
  model.summary.choices = choices;
  model.classifier = ground.Distill(expansion, neighbor_scores, clock.Execution());
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

bool NeedsNeighborScores(const FitChoices& choices) {
  return choices.switches.targets == algorithms::Targets::kSoft;
}

FitResult FitOrThrow(const FitInput& trusted, FitInput pool, const FitOptions& options,
                     const FitExtras& extras, StageClock& clock,
                     algorithms::Checkpoint* checkpoint) {
  FitResult result;
  const FitChoices choices = ChooseFor(trusted, pool, options);
  options.ForRecipe(choices).expansion.Validate(pool.rows.view().num_rows);
  algorithms::Ground ground = MakeGround(trusted, pool, options, choices, clock, checkpoint);
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
  result.pool_valid = std::move(pool.rows.valid);
  clock.Pause();
  return result;
}

// One byte for every row of a pool: whether it is in the sample, and valid there.
std::vector<std::uint8_t> AmongAllRows(const FitRequest& request, const RowSample& sample,
                                       const BadFiles& bad_files,
                                       const std::vector<std::uint8_t>& valid_in_sample) {
  std::vector<std::uint8_t> valid;
  std::size_t next = 0;
  for (std::size_t file = 0; file < sample.rows.size(); ++file) {
    if (bad_files.Has(request.pool.files[file])) continue;
    const std::size_t begin = valid.size();
    valid.resize(begin + static_cast<std::size_t>(request.pool_survey.num_rows[file]), 0);
    for (const std::int64_t row : sample.rows[file]) {
      valid[begin + static_cast<std::size_t>(row)] = valid_in_sample[next++];
    }
  }
  return valid;
}

}  // namespace

arrow::Status FitInput::Append(const arrow::RecordBatch& batch, InvalidRows invalid,
                               std::int64_t first_row) {
  return rows.Append(batch.GetColumnByName(column), invalid, {column, where, first_row});
}

arrow::Result<std::string> ResolvePoolEmbedding(const FitRequest& request, BadFiles& bad_files) {
  const std::string& asked = request.options.embedding;
  ARROW_ASSIGN_OR_RAISE(const std::string trusted,
                        ResolveEmbeddingColumn(request.trusted, asked, ""));
  return ResolveEmbeddingColumn(request.pool, asked, trusted, &bad_files);
}

arrow::Status SurveyPool(FitRequest& request,
                         const std::function<arrow::Status(const arrow_io::ParquetInput&)>& check,
                         BadFiles& bad_files, const Runtime& runtime) {
  ARROW_ASSIGN_OR_RAISE(const std::string column, ResolvePoolEmbedding(request, bad_files));
  ARROW_ASSIGN_OR_RAISE(request.pool_survey,
                        SurveyFiles(request.pool, column, check, bad_files, runtime));
  if (!request.IsSampled()) return arrow::Status::OK();
  std::vector<std::size_t> order(request.pool.files.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return request.pool.files[i].relative_path; });
  arrow_io::InputFiles sorted = request.pool;
  std::vector<std::int64_t> num_rows = request.pool_survey.num_rows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.files[i] = request.pool.files[order[i]];
    num_rows[i] = request.pool_survey.num_rows[order[i]];
  }
  request.pool = std::move(sorted);
  request.pool_survey.num_rows = std::move(num_rows);
  return arrow::Status::OK();
}

arrow::Result<FitResult> Fit(const FitRequest& request, BadFiles& bad_files,
                             FitCheckpoint* checkpoint, StageClock& clock) {
  return CatchExceptions([&]() -> arrow::Result<FitResult> {
    const FitOptions& options = request.options;
    ARROW_RETURN_NOT_OK(options.Validate());
    FitInput trusted;
    FitInput pool;
    trusted.where = request.trusted.files.front().name;
    pool.where = request.pool.files.front().name;
    BadFiles none(OnBadFile::kError);
    ARROW_ASSIGN_OR_RAISE(trusted.column,
                          ResolveEmbeddingColumn(request.trusted, options.embedding, ""));
    ARROW_ASSIGN_OR_RAISE(pool.column, ResolvePoolEmbedding(request, bad_files));
    if (!request.force) {
      ARROW_ASSIGN_OR_RAISE(const FitShape shape, MeasureFit(request, clock.runtime()));
      ARROW_RETURN_NOT_OK(CheckFitMemory(shape, FreeMemory()));
    }
    ARROW_ASSIGN_OR_RAISE(trusted.rows, ReadEmbeddingMatrix({request.trusted, trusted.column,
                                                             options.invalid, "trusted", none},
                                                            clock));
    const MatrixRequest pool_rows{request.pool, pool.column, options.invalid, "pool", bad_files};
    RowSample sample;
    if (request.IsSampled()) {
      sample = SampleRows(request.pool, request.pool_survey.num_rows, options.fit_rows,
                          options.fit_sample, options.seed);
      ARROW_ASSIGN_OR_RAISE(pool.rows, ReadSampledMatrix(pool_rows, sample, clock));
    } else {
      ARROW_ASSIGN_OR_RAISE(pool.rows, ReadEmbeddingMatrix(pool_rows, clock));
    }
    if (checkpoint != nullptr) checkpoint->TieTo(trusted.rows, pool.rows);
    ARROW_ASSIGN_OR_RAISE(FitResult result, Fit(trusted, std::move(pool), options, request.extras,
                                                clock, checkpoint));
    if (request.IsSampled()) {
      result.model.summary.sampled_from = request.pool_survey.total_rows;
      result.pool_valid = request.extras.neighbor_scores
                              ? AmongAllRows(request, sample, bad_files, result.pool_valid)
                              : std::vector<std::uint8_t>();
    }
    return result;
  });
}

arrow::Result<FitResult> Fit(const FitInput& trusted, FitInput pool, const FitOptions& options,
                             const FitExtras& extras, StageClock& clock,
                             algorithms::Checkpoint* checkpoint) {
  ARROW_RETURN_NOT_OK(CheckInputs(trusted, pool, options));
  ARROW_RETURN_NOT_OK(CheckExtras(ChooseFor(trusted, pool, options), extras));
  return CatchExceptions([&]() -> arrow::Result<FitResult> {
    return FitOrThrow(trusted, std::move(pool), options, extras, clock, checkpoint);
  });
}

arrow::Result<algorithms::Expansion> Expand(const FitInput& trusted, const FitInput& pool,
                                            const FitOptions& options, StageClock& clock) {
  ARROW_RETURN_NOT_OK(CheckInputs(trusted, pool, options));
  return CatchExceptions([&]() -> arrow::Result<algorithms::Expansion> {
    const FitChoices choices = ChooseFor(trusted, pool, options);
    return MakeGround(trusted, pool, options, choices, clock).Expand(clock.Execution());
  });
}

arrow::Result<Model> Distill(const FitInput& trusted, const FitInput& pool,
                             const algorithms::Expansion& expansion, const FitOptions& options,
                             StageClock& clock) {
  ARROW_RETURN_NOT_OK(CheckInputs(trusted, pool, options));
  return CatchExceptions([&]() -> arrow::Result<Model> {
    const FitChoices choices = ChooseFor(trusted, pool, options);
    algorithms::Ground ground = MakeGround(trusted, pool, options, choices, clock);
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
