#include "pipelines/score/streams.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <utility>

#include "pipelines/fit/fit.h"
#include "pipelines/fit/stream_sample.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/score/batch_scorer.h"
#include "pipelines/source/source.h"

namespace spuna {
namespace {

constexpr const char* kInputName = "the stream";

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

arrow::Result<FitResult> FitReaders(arrow::RecordBatchReader& trusted_reader,
                                    arrow::RecordBatchReader& pool_reader,
                                    const FitOptions& options, const FitExtras& extras,
                                    StageClock& clock, arrow::RecordBatchVector* pool_batches) {
  return CatchExceptions([&]() -> arrow::Result<FitResult> {
    ARROW_RETURN_NOT_OK(options.Validate());
    FitInput trusted;
    FitInput pool;
    trusted.where = "the stream of trusted rows";
    pool.where = "the stream of pool rows";
    ARROW_ASSIGN_OR_RAISE(
        trusted.column,
        ResolveEmbeddingColumn(*trusted_reader.schema(), trusted.where, {options.embedding, ""}));
    ARROW_ASSIGN_OR_RAISE(pool.column, ResolveEmbeddingColumn(*pool_reader.schema(), pool.where,
                                                              {options.embedding, trusted.column}));
    ARROW_ASSIGN_OR_RAISE(StreamSample sample, StreamSample::Make(pool, options));
    ARROW_RETURN_NOT_OK(
        ForEachBatch(trusted_reader, clock, [&](const std::shared_ptr<arrow::RecordBatch>& batch) {
          return trusted.Append(*batch, options.invalid);
        }));
    ARROW_RETURN_NOT_OK(
        ForEachBatch(pool_reader, clock, [&](std::shared_ptr<arrow::RecordBatch> batch) {
          const arrow::Status appended = sample.Append(*batch);
          if (pool_batches != nullptr) pool_batches->push_back(std::move(batch));
          return appended;
        }));
    sample.Finish();
    ARROW_ASSIGN_OR_RAISE(FitResult result, Fit(trusted, std::move(pool), options, extras, clock));
    if (sample.IsSampled()) result.model.summary.sampled_from = sample.num_rows();
    return result;
  });
}

class ScoringReader : public arrow::RecordBatchReader {
 public:
  ScoringReader(std::shared_ptr<arrow::RecordBatchReader> input, BatchScorer scorer,
                Runtime runtime, RowCounts* counts)
      : input_(std::move(input)),
        scorer_(std::move(scorer)),
        runtime_(std::move(runtime)),
        counts_(counts) {}

  std::shared_ptr<arrow::Schema> schema() const override { return scorer_.schema(); }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    ARROW_RETURN_NOT_OK(runtime_.CheckStop());
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(input_->ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    const std::int64_t first_row = first_row_;
    first_row_ += batch->num_rows();
    return scorer_.Append(*batch, first_row, runtime_, counts_).Value(out);
  }

  arrow::Status Close() override { return input_->Close(); }

 private:
  std::shared_ptr<arrow::RecordBatchReader> input_;
  BatchScorer scorer_;
  Runtime runtime_;
  RowCounts* counts_;
  std::int64_t first_row_ = 0;
};

// Batches that are given up one by one, so that their memory can go as they do.
class HeldBatches : public arrow::RecordBatchReader {
 public:
  HeldBatches(std::shared_ptr<arrow::Schema> schema, arrow::RecordBatchVector batches)
      : schema_(std::move(schema)), batches_(std::move(batches)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = next_ < batches_.size() ? std::move(batches_[next_++]) : nullptr;
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  arrow::RecordBatchVector batches_;
  std::size_t next_ = 0;
};

}  // namespace

arrow::Result<FitResult> FitStreams(arrow::RecordBatchReader& trusted,
                                    arrow::RecordBatchReader& pool, const FitOptions& options,
                                    const FitExtras& extras, StageClock& clock) {
  return FitReaders(trusted, pool, options, extras, clock, nullptr);
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ScoreStream(
    std::shared_ptr<arrow::RecordBatchReader> input, std::shared_ptr<const Model> model,
    const ScoreOptions& options, const Runtime& runtime, RowCounts* counts) {
  return CatchExceptions([&]() -> arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> {
    ARROW_ASSIGN_OR_RAISE(auto prepared, PreparedModel::Make(std::move(model), options));
    ARROW_ASSIGN_OR_RAISE(
        BatchScorer scorer,
        BatchScorer::Make(std::move(prepared), *input->schema(), {kInputName, ""}));
    return std::make_shared<ScoringReader>(std::move(input), std::move(scorer), runtime, counts);
  });
}

arrow::Status CheckScoredColumns(const arrow::Schema& schema, const ScoreOptions& options) {
  return CheckScoreColumns(schema, "the stream of pool rows", options);
}

arrow::Result<CleanedStream> CleanStreams(arrow::RecordBatchReader& trusted,
                                          arrow::RecordBatchReader& pool,
                                          const FitOptions& fit_options, const FitExtras& extras,
                                          const ScoreOptions& score_options, StageClock& clock) {
  // A name that is taken is found out before the work, not after it.
  ARROW_RETURN_NOT_OK(CheckScoredColumns(*pool.schema(), score_options));
  arrow::RecordBatchVector batches;
  ARROW_ASSIGN_OR_RAISE(FitResult fit,
                        FitReaders(trusted, pool, fit_options, extras, clock, &batches));
  CleanedStream cleaned;
  cleaned.model = std::make_shared<const Model>(std::move(fit.model));
  auto held = std::make_shared<HeldBatches>(pool.schema(), std::move(batches));
  // Whoever listens to the fit need not be there when the rows are asked for.
  Runtime runtime;
  runtime.num_threads = clock.runtime().num_threads;
  ARROW_ASSIGN_OR_RAISE(cleaned.rows,
                        ScoreStream(std::move(held), cleaned.model, score_options, runtime));
  return cleaned;
}

}  // namespace spuna
