#include "pipelines/fit.h"

#include <arrow/record_batch.h>

#include <utility>

#include "algorithms/duplicate_rows.h"
#include "algorithms/neighbor_score.h"
#include "pipelines/exception_status.h"

namespace spuna {
namespace {

FitSummary Summarize(const EmbeddingMatrix& trusted, const EmbeddingMatrix& pool,
                     const FitOptions& options, const algorithms::Expansion& expansion) {
  FitSummary summary;
  summary.rows_trusted = trusted.num_rows();
  summary.rows_pool = pool.num_rows();
  summary.rows_invalid_trusted = trusted.num_invalid;
  summary.rows_invalid_pool = pool.num_invalid;
  summary.rows_trusted_in_pool =
      static_cast<std::int64_t>(algorithms::CountRowsAlsoIn(trusted.view(), pool.view()));
  summary.beta = options.BetaFor(pool.num_rows());
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

algorithms::Expansion ExpandOrThrow(const FitInput& trusted, const FitInput& pool,
                                    const FitOptions& options, StageClock& clock) {
  return algorithms::ExpandLabels(trusted.rows.view(), pool.rows.view(),
                                  options.Expansion(pool.rows.num_rows()), clock.Execution());
}

Model DistillOrThrow(const FitInput& trusted, const FitInput& pool,
                     const algorithms::Expansion& expansion, const FitOptions& options,
                     StageClock& clock) {
  Model model;
  model.options = options;
  model.options.embedding = pool.column;
  model.versions = Versions();
  model.summary = Summarize(trusted.rows, pool.rows, options, expansion);
  model.classifier = algorithms::Distill(trusted.rows.view(), pool.rows.view(), expansion,
                                         options.Distillation(), clock.Execution());
  return model;
}

FitResult FitOrThrow(const FitInput& trusted, FitInput pool, const FitOptions& options,
                     const FitExtras& extras, StageClock& clock) {
  FitResult result;
  result.expansion = ExpandOrThrow(trusted, pool, options, clock);
  std::optional<algorithms::Banks> banks;
  if (extras.keep_banks || extras.neighbor_scores) {
    const algorithms::Execution execution = clock.Execution();
    execution.Report({algorithms::Stage::kNeighborScore});
    banks = algorithms::MakeBanks(trusted.rows.view(), pool.rows.view(), result.expansion);
    if (extras.neighbor_scores) {
      const algorithms::NeighborScorer scorer(banks->clean.view(), banks->shifted.view(),
                                              static_cast<std::size_t>(options.k),
                                              options.neighbors);
      result.neighbor_scores =
          scorer.ScorePool(pool.rows.view(), result.expansion,
                           static_cast<std::size_t>(trusted.rows.num_rows()), execution);
    }
  }
  result.model = DistillOrThrow(trusted, pool, result.expansion, options, clock);
  if (extras.keep_banks) result.model.banks = std::move(banks);
  result.pool_valid = std::move(pool.rows.valid);
  clock.Pause();
  return result;
}

}  // namespace

arrow::Status FitInput::Append(const arrow::RecordBatch& batch, InvalidRows invalid) {
  const auto first_row = static_cast<std::int64_t>(rows.valid.size());
  return rows.Append(batch.GetColumnByName(column), invalid, {column, where, first_row});
}

arrow::Result<std::string> ResolvePoolEmbedding(const FitRequest& request) {
  const std::string& asked = request.options.embedding;
  ARROW_ASSIGN_OR_RAISE(const std::string trusted,
                        ResolveEmbeddingColumn(request.trusted, asked, ""));
  return ResolveEmbeddingColumn(request.pool, asked, trusted);
}

arrow::Result<FitResult> Fit(const FitRequest& request, StageClock& clock) {
  return CatchExceptions([&]() -> arrow::Result<FitResult> {
    const FitOptions& options = request.options;
    ARROW_RETURN_NOT_OK(options.Validate());
    FitInput trusted;
    FitInput pool;
    trusted.where = request.trusted.files.front().path.string();
    pool.where = request.pool.files.front().path.string();
    ARROW_ASSIGN_OR_RAISE(trusted.column,
                          ResolveEmbeddingColumn(request.trusted, options.embedding, ""));
    ARROW_ASSIGN_OR_RAISE(pool.column, ResolvePoolEmbedding(request));
    ARROW_ASSIGN_OR_RAISE(trusted.rows, ReadEmbeddingMatrix(request.trusted, trusted.column,
                                                            options.invalid, "trusted", clock));
    ARROW_ASSIGN_OR_RAISE(
        pool.rows, ReadEmbeddingMatrix(request.pool, pool.column, options.invalid, "pool", clock));
    return Fit(trusted, std::move(pool), options, request.extras, clock);
  });
}

arrow::Result<FitResult> Fit(const FitInput& trusted, FitInput pool, const FitOptions& options,
                             const FitExtras& extras, StageClock& clock) {
  ARROW_RETURN_NOT_OK(CheckInputs(trusted, pool, options));
  return CatchExceptions([&]() -> arrow::Result<FitResult> {
    return FitOrThrow(trusted, std::move(pool), options, extras, clock);
  });
}

arrow::Result<algorithms::Expansion> Expand(const FitInput& trusted, const FitInput& pool,
                                            const FitOptions& options, StageClock& clock) {
  ARROW_RETURN_NOT_OK(CheckInputs(trusted, pool, options));
  return CatchExceptions([&]() -> arrow::Result<algorithms::Expansion> {
    return ExpandOrThrow(trusted, pool, options, clock);
  });
}

arrow::Result<Model> Distill(const FitInput& trusted, const FitInput& pool,
                             const algorithms::Expansion& expansion, const FitOptions& options,
                             StageClock& clock) {
  ARROW_RETURN_NOT_OK(CheckInputs(trusted, pool, options));
  return CatchExceptions([&]() -> arrow::Result<Model> {
    return DistillOrThrow(trusted, pool, expansion, options, clock);
  });
}

}  // namespace spuna
