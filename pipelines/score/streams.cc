#include "pipelines/score/streams.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <utility>

#include "pipelines/fit/stream_fit.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/score/batch_scorer.h"
#include "pipelines/source/source.h"
#include "pipelines/source/source_stream.h"

namespace spuna {
namespace {

constexpr const char* kInputName = "the stream";

class ScoringReader : public arrow::RecordBatchReader {
 public:
  ScoringReader(std::shared_ptr<arrow::RecordBatchReader> input, BatchScorer scorer,
                Runtime runtime, RowCounts* counts, std::shared_ptr<const FileReviews> reviews)
      : input_(std::move(input)),
        scorer_(std::move(scorer)),
        runtime_(std::move(runtime)),
        counts_(counts),
        reviews_(std::move(reviews)) {
    scorer_.DecideBy(reviews_.get());
  }

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
  std::shared_ptr<const FileReviews> reviews_;
  std::int64_t first_row_ = 0;
};

// `name` is what messages call the input.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ScoreNamed(
    const std::string& name, std::shared_ptr<arrow::RecordBatchReader> input,
    std::shared_ptr<const Model> model, const ScoreOptions& options, const Runtime& runtime,
    RowCounts* counts, std::shared_ptr<const FileReviews> reviews) {
  return CatchExceptions([&]() -> arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> {
    ARROW_ASSIGN_OR_RAISE(auto prepared, PreparedModel::Make(std::move(model), options));
    ARROW_ASSIGN_OR_RAISE(BatchScorer scorer,
                          BatchScorer::Make(std::move(prepared), *input->schema(), {name, ""}));
    return std::make_shared<ScoringReader>(std::move(input), std::move(scorer), runtime, counts,
                                           std::move(reviews));
  });
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ScoreStream(
    std::shared_ptr<arrow::RecordBatchReader> input, std::shared_ptr<const Model> model,
    const ScoreOptions& options, const Runtime& runtime, RowCounts* counts,
    std::shared_ptr<const FileReviews> reviews) {
  return ScoreNamed(kInputName, std::move(input), std::move(model), options, runtime, counts,
                    std::move(reviews));
}

arrow::Result<ScoredFiles> ScoreFiles(const std::vector<std::string>& paths, const ScoreJob& job,
                                      std::shared_ptr<const Model> model, int num_threads) {
  Runtime runtime;
  runtime.num_threads = num_threads;
  ARROW_ASSIGN_OR_RAISE(Source source, Source::List({paths, "input", job.all_files},
                                                    job.on_bad_file, job.max_bad_files));
  ARROW_RETURN_NOT_OK(
      source.Survey({job.options.embedding, model->options.embedding}, {}, runtime));
  ARROW_ASSIGN_OR_RAISE(auto rows, OpenSourceStream(source));
  ScoreOptions options = job.options;
  options.embedding = source.embedding();
  ARROW_ASSIGN_OR_RAISE(auto scored, ScoreNamed(source.name(), std::move(rows), std::move(model),
                                                options, runtime, /*counts=*/nullptr,
                                                /*reviews=*/nullptr));
  return ScoredFiles{std::move(scored), source.bad_files().skipped()};
}

arrow::Status CheckScoredColumns(const arrow::Schema& schema, const ScoreOptions& options) {
  return CheckScoreColumns(schema, kPoolStream, options);
}

}  // namespace spuna
