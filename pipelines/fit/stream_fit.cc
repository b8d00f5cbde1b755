#include "pipelines/fit/stream_fit.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <memory>
#include <optional>
#include <utility>

#include "pipelines/fit/fit.h"
#include "pipelines/fit/stream_sample.h"
#include "pipelines/fit/stream_texts.h"
#include "pipelines/matrix/learned_verdicts.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/source/source.h"
#include "pipelines/source/stream_reviews.h"

namespace spuna {
namespace {

// Calls `take` with all batches of a stream.
template <typename Take>
arrow::Status ForEachBatch(arrow::RecordBatchReader& reader, StageClock& clock, Take take) {
  while (true) {
    ARROW_RETURN_NOT_OK(clock.runtime().CheckStop());
    clock.Report("read");
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(take(std::move(batch)));
  }
}

arrow::Result<StreamTexts> FindTexts(const arrow::Schema& schema, const std::string& where,
                                     const StreamFitRequest& request, const std::string& id) {
  std::optional<IdColumn> ids;
  if (request.extras.ids) ids = ResolveIdColumn(schema, id);
  return StreamTexts::Make(schema, where, request.options, ids);
}

arrow::Status ReadTrusted(arrow::RecordBatchReader& reader, const StreamFitRequest& request,
                          StageClock& clock, FitInput& trusted) {
  ARROW_ASSIGN_OR_RAISE(StreamTexts texts,
                        FindTexts(*reader.schema(), trusted.where, request, /*id=*/""));
  ARROW_ASSIGN_OR_RAISE(StreamReviews reviews,
                        StreamReviews::Make(request.reviewed, /*of_trusted=*/true, *reader.schema(),
                                            trusted.where, ResolveIdColumn(*reader.schema(), "")));
  ARROW_RETURN_NOT_OK(
      ForEachBatch(reader, clock, [&](const std::shared_ptr<arrow::RecordBatch>& batch) {
        const auto first_row = static_cast<std::int64_t>(trusted.rows.valid.size());
        ARROW_RETURN_NOT_OK(trusted.Append(*batch, request.options.invalid));
        ARROW_RETURN_NOT_OK(reviews.Add(*batch, first_row).status());
        return texts.Append(*batch, first_row);
      }));
  texts.MoveTo(trusted);
  std::vector<std::int64_t> valid_rows;
  for (std::size_t i = 0; i < trusted.rows.valid.size(); ++i) {
    if (trusted.rows.valid[i] != 0) valid_rows.push_back(static_cast<std::int64_t>(i));
  }
  trusted.verdicts = LearnedVerdicts(reviews.Finish(), valid_rows);
  return arrow::Status::OK();
}

arrow::Result<FitResult> ReadAndFit(arrow::RecordBatchReader& trusted_reader,
                                    arrow::RecordBatchReader& pool_reader,
                                    const StreamFitRequest& request, StageClock& clock,
                                    arrow::RecordBatchVector* pool_batches) {
  const FitOptions& options = request.options;
  ARROW_RETURN_NOT_OK(options.Validate());
  FitInput trusted;
  FitInput pool;
  trusted.where = kTrustedStream;
  pool.where = kPoolStream;
  ARROW_ASSIGN_OR_RAISE(
      trusted.column,
      ResolveEmbeddingColumn(*trusted_reader.schema(), trusted.where, {options.embedding, ""}));
  ARROW_ASSIGN_OR_RAISE(pool.column, ResolveEmbeddingColumn(*pool_reader.schema(), pool.where,
                                                            {options.embedding, trusted.column}));
  ARROW_ASSIGN_OR_RAISE(StreamTexts texts,
                        FindTexts(*pool_reader.schema(), pool.where, request, request.id));
  ARROW_ASSIGN_OR_RAISE(StreamSample sample, StreamSample::Make(pool, options, std::move(texts)));
  ARROW_ASSIGN_OR_RAISE(
      StreamReviews found,
      StreamReviews::Make(request.reviewed, /*of_trusted=*/false, *pool_reader.schema(), pool.where,
                          ResolveIdColumn(*pool_reader.schema(), request.id)));
  ARROW_RETURN_NOT_OK(ReadTrusted(trusted_reader, request, clock, trusted));
  ARROW_RETURN_NOT_OK(ForEachBatch(
      pool_reader, clock, [&](std::shared_ptr<arrow::RecordBatch> batch) -> arrow::Status {
        // Rows that were reviewed are in every sample.
        ARROW_ASSIGN_OR_RAISE(const auto preferred, found.Add(*batch, sample.num_rows()));
        ARROW_RETURN_NOT_OK(sample.Append(*batch, preferred.get()));
        if (pool_batches != nullptr) pool_batches->push_back(std::move(batch));
        return arrow::Status::OK();
      }));
  sample.Finish();
  std::shared_ptr<const PlacedReviews> reviews;
  if (!request.reviewed.rows.empty()) {
    reviews = std::make_shared<const PlacedReviews>(found.Finish());
    pool.verdicts = LearnedVerdicts(*reviews, sample.FittedRows());
    ARROW_RETURN_NOT_OK(AddOutsideRows(reviews->outside, options, pool));
  }
  ARROW_ASSIGN_OR_RAISE(FitResult result,
                        Fit(trusted, std::move(pool), options, request.extras, clock));
  if (reviews != nullptr) {
    result.model.summary.review = SummarizeReviews(*reviews, request.reviewed.hash);
    result.reviews = std::move(reviews);
  }
  if (sample.IsSampled()) {
    result.model.summary.sampled_from = sample.num_rows();
    result.pool_valid = sample.Fitted();
  }
  if (result.findings) {
    RowSample& rows = result.findings->pool_rows;
    rows.rows = {sample.FittedRows()};
    rows.num_rows = static_cast<std::int64_t>(rows.rows.front().size());
  }
  result.first_rows = {0};
  return result;
}

}  // namespace

arrow::Result<FitResult> FitStreams(arrow::RecordBatchReader& trusted,
                                    arrow::RecordBatchReader& pool, const StreamFitRequest& request,
                                    StageClock& clock, arrow::RecordBatchVector* pool_batches) {
  return CatchExceptions([&]() -> arrow::Result<FitResult> {
    return ReadAndFit(trusted, pool, request, clock, pool_batches);
  });
}

}  // namespace spuna
