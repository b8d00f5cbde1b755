#include "pipelines/jobs/clean_rows.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <utility>

#include "pipelines/fit/stream_fit.h"
#include "pipelines/report/explanation.h"
#include "pipelines/score/streams.h"

namespace spuna {

arrow::Result<std::shared_ptr<const CleanResult>> CleanRows(arrow::RecordBatchReader& trusted,
                                                            arrow::RecordBatchReader& pool,
                                                            const OpenRows& reopen,
                                                            const CleanJob& job,
                                                            StageClock& clock) {
  ARROW_RETURN_NOT_OK(job.Validate());
  const std::shared_ptr<arrow::Schema> schema = pool.schema();
  // A column that is missing or taken is reported before the work, not after it.
  ARROW_RETURN_NOT_OK(CheckScoredColumns(*schema, job.Scoring()));
  ARROW_RETURN_NOT_OK(CheckPoolPassColumns({{*schema, kPoolStream, {}}}, PassOptionsOf(job)));
  StreamFitRequest request;
  request.options = job.Fitting();
  request.extras.keep_banks = job.fit.keep_banks;
  request.extras.findings = true;
  request.extras.ids = true;
  request.id = job.id;
  ARROW_ASSIGN_OR_RAISE(request.reviewed,
                        ReadReviewedRows(job.fit.reviewed, job.fit.options.embedding));
  arrow::RecordBatchVector held;
  ARROW_ASSIGN_OR_RAISE(FitResult fit,
                        FitStreams(trusted, pool, request, clock, reopen ? nullptr : &held));
  CleanResult::Input input;
  input.open = reopen;
  if (!reopen) {
    input.open = [held = std::move(held), schema] {
      return arrow::RecordBatchReader::Make(held, schema);
    };
  }
  const FitSummary& summary = fit.model.summary;
  const std::int64_t num_rows =
      summary.sampled_from.value_or(summary.rows_pool + summary.rows_invalid_pool);
  input.pool =
      std::make_shared<const StreamPool>(input.open, schema, fit.model.options.embedding, num_rows);
  return CleanResult::Make(job, std::move(input), std::move(fit), clock);
}

}  // namespace spuna
