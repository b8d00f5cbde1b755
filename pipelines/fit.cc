#include "pipelines/fit.h"

#include <utility>

#include "algorithms/duplicate_rows.h"
#include "algorithms/neighbor_score.h"
#include "pipelines/embedding_matrix.h"
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

arrow::Result<FitResult> FitOrThrow(const FitRequest& request, StageClock& clock) {
  const FitOptions& options = request.options;
  ARROW_RETURN_NOT_OK(options.Validate());
  ARROW_ASSIGN_OR_RAISE(const std::string trusted_column,
                        ResolveEmbeddingColumn(request.trusted, options.embedding, ""));
  ARROW_ASSIGN_OR_RAISE(const std::string pool_column, ResolvePoolEmbedding(request));
  ARROW_ASSIGN_OR_RAISE(
      const EmbeddingMatrix trusted,
      ReadEmbeddingMatrix(request.trusted, trusted_column, options.invalid, "trusted", clock));
  ARROW_ASSIGN_OR_RAISE(EmbeddingMatrix pool, ReadEmbeddingMatrix(request.pool, pool_column,
                                                                  options.invalid, "pool", clock));
  if (trusted.dimension != pool.dimension) {
    return arrow::Status::Invalid(
        "`pool`: column '", pool_column, "' of ", request.pool.files.front().path.string(),
        ": expected dimension ", trusted.dimension, ", that of column '", trusted_column,
        "' of the trusted rows in ", request.trusted.files.front().path.string(), ", but found ",
        pool.dimension);
  }

  const algorithms::Execution execution = clock.Execution();
  FitResult result;
  result.expansion = algorithms::ExpandLabels(trusted.view(), pool.view(),
                                              options.Expansion(pool.num_rows()), execution);
  Model& model = result.model;
  model.options = options;
  model.options.embedding = pool_column;
  model.versions = Versions();
  model.summary = Summarize(trusted, pool, options, result.expansion);

  if (request.keep_banks || request.neighbor_scores) {
    execution.Report({algorithms::Stage::kNeighborScore});
    algorithms::Banks banks = algorithms::MakeBanks(trusted.view(), pool.view(), result.expansion);
    if (request.neighbor_scores) {
      const algorithms::NeighborScorer scorer(banks.clean.view(), banks.shifted.view(),
                                              static_cast<std::size_t>(options.k),
                                              options.neighbors);
      result.neighbor_scores = scorer.ScorePool(
          pool.view(), result.expansion, static_cast<std::size_t>(trusted.num_rows()), execution);
    }
    if (request.keep_banks) model.banks = std::move(banks);
  }
  model.classifier = algorithms::Distill(trusted.view(), pool.view(), result.expansion,
                                         options.Distillation(), execution);
  result.pool_valid = std::move(pool.valid);
  clock.Pause();
  return result;
}

}  // namespace

arrow::Result<std::string> ResolvePoolEmbedding(const FitRequest& request) {
  const std::string& asked = request.options.embedding;
  ARROW_ASSIGN_OR_RAISE(const std::string trusted,
                        ResolveEmbeddingColumn(request.trusted, asked, ""));
  return ResolveEmbeddingColumn(request.pool, asked, trusted);
}

arrow::Result<FitResult> Fit(const FitRequest& request, StageClock& clock) {
  return CatchExceptions([&] { return FitOrThrow(request, clock); });
}

}  // namespace spuna
