#include "pipelines/jobs/clean_result.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <utility>

#include "arrow_io/table_output.h"
#include "pipelines/jobs/fit_run.h"
#include "pipelines/report/explanation.h"
#include "pipelines/report/reasons.h"
#include "pipelines/report/report.h"
#include "pipelines/report/report_page.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/run/job_paths.h"
#include "pipelines/run/output_set.h"
#include "pipelines/run/system_memory.h"
#include "pipelines/score/batch_scorer.h"
#include "pipelines/score/streams.h"

namespace spuna {
namespace {

constexpr const char* kReasons = "reasons";
constexpr const char* kReport = "report";

}  // namespace

CleanResult::CleanResult(const CleanJob& job, Input input, FitResult fit, int num_threads)
    : job_(job),
      scoring_(job.Scoring()),
      input_(std::move(input)),
      fit_(std::move(fit)),
      model_(std::make_shared<const Model>(fit_.model)),
      num_threads_(num_threads) {}

arrow::Result<std::shared_ptr<const CleanResult>> CleanResult::Make(const CleanJob& job,
                                                                    Input input, FitResult fit,
                                                                    StageClock& clock) {
  std::shared_ptr<CleanResult> result(
      new CleanResult(job, std::move(input), std::move(fit), clock.runtime().num_threads));
  ARROW_RETURN_NOT_OK(result->Score(clock));
  // From here on the files are those that were counted.
  if (result->input_.files != nullptr) {
    result->input_.pool = std::make_shared<const FilePool>(result->input_.files->pool);
  }
  return result;
}

arrow::Status CleanResult::Score(StageClock& clock) {
  PoolPassOptions options = PassOptionsOf(job_);
  options.image.clear();
  options.decisions = true;
  options.stage = "score";
  // A file that turns out to be bad, and may be skipped, is: the pool is then read from its start.
  while (true) {
    const std::size_t num_skipped = input_.pool->skipped().size();
    auto pass = RunPoolPass(*input_.pool, PoolKnowledge::Of(fit_), scoring_, options, clock);
    if (pass.ok()) pass_ = *std::move(pass);
    if (pass.ok()) break;
    if (input_.pool->skipped().size() == num_skipped) return pass.status();
  }
  if (input_.files == nullptr && pass_.counts.in != input_.pool->num_rows()) {
    return arrow::Status::Invalid(input_.pool->name(), ": expected ", input_.pool->num_rows(),
                                  " rows as when it was fitted on but found ", pass_.counts.in,
                                  "; pass rows that do not change, such as a table");
  }
  report_.fit = JobReport::Fit{model_->options, model_->summary, model_->dimension()};
  ARROW_ASSIGN_OR_RAISE(const Decision decision, DecideFor(*model_, scoring_));
  report_.score =
      JobReport::Score{pass_.counts, decision, CountFiles(), scoring_.by, scoring_.drop};
  if (job_.NeedsPoolPass()) AddFindings(job_, &*fit_.findings, pass_, report_);
  if (input_.files != nullptr) report_.review = DescribeReview(*input_.files, true);
  if (input_.files == nullptr && fit_.reviews != nullptr) report_.review.emplace();
  report_.skipped = input_.pool->skipped();
  report_.seconds = clock.Seconds();
  report_.peak_memory_bytes = PeakMemoryBytes();
  return arrow::Status::OK();
}

JobReport CleanResult::ReportWithFindings() const {
  JobReport report = report_;
  if (!job_.NeedsPoolPass()) AddFindings(job_, &*fit_.findings, pass_, report);
  return report;
}

arrow::Result<PoolPassResult> CleanResult::Read(const PoolPassOptions& options,
                                                StageClock& clock) const {
  return CatchExceptions(
      [&] { return RunPoolPass(*input_.pool, PoolKnowledge::Of(fit_), scoring_, options, clock); });
}

std::size_t CleanResult::CountFiles() const {
  std::size_t count = 0;
  if (input_.files == nullptr) return count;
  const Source& pool = input_.files->pool;
  for (std::size_t i = 0; i < pool.files().size(); ++i) count += pool.IsBad(i) ? 0 : 1;
  return count;
}

std::vector<std::size_t> CleanResult::PartOrder() const {
  return input_.files == nullptr ? std::vector<std::size_t>{0} : input_.files->pool.GivenOrder();
}

std::vector<std::int64_t> CleanResult::RowNumbers(RowDecision decision) const {
  std::vector<std::int64_t> numbers;
  std::int64_t next = 0;
  for (const std::size_t part : PartOrder()) {
    for (const RowDecision decided : pass_.decisions[part]) {
      if (decided == decision) numbers.push_back(next);
      ++next;
    }
  }
  return numbers;
}

std::optional<CleanResult::Ids> CleanResult::RowIds(RowDecision decision) const {
  if (job_.id.empty()) return std::nullopt;
  Ids ids;
  for (const std::size_t part : PartOrder()) {
    for (std::size_t i = 0; i < pass_.decisions[part].size(); ++i) {
      if (pass_.decisions[part][i] == decision) ids.push_back(pass_.ids[part][i]);
    }
  }
  return ids;
}

std::shared_ptr<const FileReviews> CleanResult::ReviewsOfRows() const {
  if (fit_.reviews == nullptr) return nullptr;
  if (input_.files == nullptr) return {fit_.reviews, fit_.reviews->Of(std::string())};
  auto reviews = std::make_shared<FileReviews>();
  const Source& pool = input_.files->pool;
  std::int64_t first_row = 0;
  for (const std::size_t file : pool.GivenOrder()) {
    if (pool.IsBad(file)) continue;
    if (const FileReviews* const of_file = fit_.reviews->Of(pool.files()[file])) {
      for (const auto& [row, review] : *of_file) (*reviews)[first_row + row] = review;
    }
    first_row += pool.RowsOf(file);
  }
  return reviews;
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> CleanResult::Rows() const {
  ARROW_ASSIGN_OR_RAISE(auto rows, input_.open());
  ScoreOptions options = scoring_;
  options.embedding = input_.pool->embedding();
  // Whoever listened to the fit need not be there when the rows are asked for.
  Runtime runtime;
  runtime.num_threads = num_threads_;
  return ScoreStream(std::move(rows), model_, options, runtime, /*counts=*/nullptr,
                     ReviewsOfRows());
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> CleanResult::MakeReasons(
    const Runtime& runtime) const {
  StageClock clock(runtime);
  arrow::RecordBatchVector batches;
  PoolPassOptions options = PassOptionsOf(job_);
  options.image.clear();
  options.on_reasons = [&](const std::shared_ptr<arrow::RecordBatch>& batch) {
    batches.push_back(batch);
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(Read(options, clock).status());
  return arrow::RecordBatchReader::Make(std::move(batches), Reasons::schema());
}

arrow::Status CleanResult::CheckOutput(const std::string& path, const char* option) const {
  JobPaths paths;
  ARROW_RETURN_NOT_OK(paths.AddInputs(job_.fit.trusted, "trusted"));
  ARROW_RETURN_NOT_OK(paths.AddInputs(job_.fit.pool, "pool"));
  return paths.AddOutput(path, option);
}

arrow::Status CleanResult::WriteReasons(const std::string& path, bool overwrite,
                                        const Runtime& runtime) const {
  ARROW_RETURN_NOT_OK(CheckOutput(path, kReasons));
  StageClock clock(runtime);
  OutputSet outputs;
  ARROW_RETURN_NOT_OK(outputs.Add(kReasons, path, overwrite));
  const arrow_io::StagedOutput* const staged = outputs.Find(kReasons);
  ARROW_ASSIGN_OR_RAISE(const auto file,
                        arrow_io::TableOutput::Create(staged->path(), path, Reasons::schema()));
  PoolPassOptions options = PassOptionsOf(job_);
  options.image.clear();
  options.on_reasons = [&](const std::shared_ptr<arrow::RecordBatch>& batch) {
    return file->Write(*batch);
  };
  ARROW_RETURN_NOT_OK(Read(options, clock).status());
  ARROW_RETURN_NOT_OK(file->Close());
  ARROW_RETURN_NOT_OK(runtime.CheckStop());
  return outputs.Commit();
}

arrow::Status CleanResult::WriteReport(const std::string& path, bool overwrite,
                                       const Runtime& runtime) const {
  ARROW_RETURN_NOT_OK(CheckOutput(path, kReport));
  OutputSet outputs;
  ARROW_RETURN_NOT_OK(outputs.Add(kReport, path, overwrite));
  PoolPassResult with_pictures;
  StageClock clock(runtime);
  if (!job_.image.empty()) {
    ARROW_ASSIGN_OR_RAISE(with_pictures, Read(PassOptionsOf(job_), clock));
  }
  clock.Report("report");
  const PoolPassResult& pass = job_.image.empty() ? pass_ : with_pictures;
  return CatchExceptions([&]() -> arrow::Status {
    const nlohmann::json page =
        MakeReport({input_.pool->name(), input_.pool->skipped(), PoolKnowledge::Of(fit_), pass,
                    report_.score->decision, job_.group_by, report_.seconds, std::nullopt});
    ARROW_RETURN_NOT_OK(outputs.Write(kReport, RenderReportPage(page)));
    ARROW_RETURN_NOT_OK(runtime.CheckStop());
    return outputs.Commit();
  });
}

}  // namespace spuna
