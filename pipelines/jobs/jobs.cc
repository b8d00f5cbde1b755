#include "pipelines/jobs/jobs.h"

#include <arrow/record_batch.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "arrow_io/input_files.h"
#include "arrow_io/ipc_stream.h"
#include "arrow_io/parquet_stream.h"
#include "pipelines/fit/memory.h"
#include "pipelines/jobs/fit_run.h"
#include "pipelines/report/clean_findings.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/score/score_outputs.h"
#include "pipelines/score/streams.h"

namespace spuna {
namespace {

using arrow_io::InputFiles;
using nlohmann::json;

JobReport::Score ReportScore(const ScoredFile& total, std::size_t num_files,
                             const Decision& decision, const ScoreOptions& options) {
  return {total.counts, decision, num_files, options.by, options.drop};
}

// What an earlier run of the same command said in the end.
JobReport ReportDone(const json& manifest, const ScoreOptions& options, StageClock& clock) {
  JobReport report;
  report.was_done = true;
  report.score = ReportScore(ScoredFileFrom(manifest.value("total", json::object())),
                             manifest.value("files", json::object()).size(),
                             DecisionFromJson(manifest.at("decision")), options);
  for (const json& skipped : manifest.value("skipped", json::array())) {
    report.skipped[skipped.value("path", "")] = skipped.value("reason", "");
  }
  report.seconds = clock.Seconds();
  report.peak_memory_bytes = PeakMemoryBytes();
  return report;
}

JobReport::Fit ReportFit(const Model& model) {
  return {model.options, model.summary, model.dimension()};
}

void Complete(JobReport& report, const BadFiles& bad_files, StageClock& clock) {
  report.skipped = bad_files.skipped();
  report.seconds = clock.Seconds();
  report.peak_memory_bytes = PeakMemoryBytes();
}

// What the state beside a file remembers: what exists under its name from now on is our own.
constexpr const char* kNaming = "naming";

// What is left to do between scoring and the end.
using BeforeEnd = std::function<arrow::Status(const JobReport::Score&)>;

// Scores all files and ends the outputs. `state` is that beside a file.
arrow::Result<JobReport::Score> ScoreAll(const ScoreRequest& request, const json& configuration,
                                         ScoreOutputs& outputs, StageClock& clock,
                                         RunState* state = nullptr,
                                         const BeforeEnd& before_end = {}) {
  ARROW_ASSIGN_OR_RAISE(const Decision decision,
                        RowScorer::DecideFor(request.model, request.options));
  ARROW_ASSIGN_OR_RAISE(const ScoreResult result, outputs.Score(request, clock));
  const JobReport::Score score =
      ReportScore(result.total, result.files.size(), decision, request.options);
  if (before_end) ARROW_RETURN_NOT_OK(before_end(score));
  if (clock.runtime().ShouldStop()) return arrow::Status::Cancelled("interrupted");
  if (state != nullptr) ARROW_RETURN_NOT_OK(state->Record(kNaming, true));
  ARROW_RETURN_NOT_OK(
      outputs.Finish(MakeManifest(configuration, request, decision, result, clock)));
  return score;
}

// The name of standard input and output.
constexpr const char* kStandard = "-";

bool UsesStandardStreams(const ScoreJob& job) {
  return job.output == kStandard || std::ranges::find(job.input, kStandard) != job.input.end();
}

arrow::Result<JobReport> ScoreStandardStreams(const ScoreJob& job, StageClock& clock) {
  ARROW_RETURN_NOT_OK(CheckScoring(job.options, job.dropped));
  const bool reads_standard_input = job.input == std::vector<std::string>{kStandard};
  if (job.output != kStandard) {
    return arrow::Status::Invalid("`input`: '-', an Arrow IPC stream on standard input, needs '-' ",
                                  "as `out`");
  }
  if (job.dropped) {
    return arrow::Status::Invalid("`dropped` is for files; a stream has one output");
  }
  ARROW_ASSIGN_OR_RAISE(Model loaded, LoadModel(job.model));
  const auto model = std::make_shared<const Model>(std::move(loaded));
  std::shared_ptr<arrow::RecordBatchReader> input;
  if (reads_standard_input) {
    ARROW_ASSIGN_OR_RAISE(input, arrow_io::ReadStandardInput(clock.runtime().should_stop));
  } else {
    ARROW_ASSIGN_OR_RAISE(const InputFiles files, arrow_io::ListInputFiles(job.input, "input"));
    ARROW_ASSIGN_OR_RAISE(input, arrow_io::StreamParquet(files, {}));
  }
  clock.Report("score");
  RowCounts counts;
  ARROW_ASSIGN_OR_RAISE(const auto scored, ScoreStream(std::move(input), model, job.options,
                                                       clock.runtime(), &counts));
  ARROW_RETURN_NOT_OK(arrow_io::WriteStandardOutput(*scored));
  JobReport report;
  ARROW_ASSIGN_OR_RAISE(const Decision decision, RowScorer::DecideFor(*model, job.options));
  report.score = JobReport::Score{counts, decision, 0, job.options.by, job.options.drop};
  report.seconds = clock.Seconds();
  report.peak_memory_bytes = PeakMemoryBytes();
  return report;
}

}  // namespace

arrow::Result<JobReport> Run(const FitJob& job, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<JobReport> {
    StageClock clock(runtime);
    const std::optional<std::string>& written = job.model ? job.model : job.labels;
    if (!written) return arrow::Status::Invalid("`model` names no file");
    ARROW_ASSIGN_OR_RAISE(FitRun run, FitRun::Prepare(job));
    BadFiles bad_files(job.on_bad_file);
    ARROW_ASSIGN_OR_RAISE(RunState state, RunState::Open({StateBeside(*written), *written,
                                                          job.model ? "model" : "labels"},
                                                         run.Configuration("fit"), job.overwrite));
    ARROW_RETURN_NOT_OK(run.Stage(state));
    ARROW_RETURN_NOT_OK(run.Survey({}, bad_files, runtime));
    ARROW_ASSIGN_OR_RAISE(const FitResult fitted, run.Execute(state, bad_files, clock));
    ARROW_RETURN_NOT_OK(state.Remove());
    JobReport report;
    report.fit = ReportFit(fitted.model);
    Complete(report, bad_files, clock);
    return report;
  });
}

arrow::Result<JobReport> Run(const ScoreJob& job, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<JobReport> {
    StageClock clock(runtime);
    if (UsesStandardStreams(job)) return ScoreStandardStreams(job, clock);
    ARROW_ASSIGN_OR_RAISE(const ScoreInputs inputs, PrepareScore(job));
    ARROW_ASSIGN_OR_RAISE(
        ScoreOutputs outputs,
        ScoreOutputs::Open(inputs.input, {job.output, job.dropped, job.options.overwrite},
                           inputs.configuration));
    if (outputs.finished()) return ReportDone(*outputs.finished(), job.options, clock);
    ARROW_RETURN_NOT_OK(outputs.Stage(/*may_replace=*/false));
    BadFiles bad_files(job.on_bad_file);
    ARROW_ASSIGN_OR_RAISE(const FileSurvey survey, SurveyScore(job, inputs, bad_files, runtime));
    const ScoreRequest request{inputs.input, survey, inputs.model, job.options, bad_files};
    JobReport report;
    ARROW_ASSIGN_OR_RAISE(report.score, ScoreAll(request, inputs.configuration, outputs, clock));
    Complete(report, bad_files, clock);
    return report;
  });
}

arrow::Result<JobReport> Run(const CleanJob& job, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<JobReport> {
    StageClock clock(runtime);
    ARROW_ASSIGN_OR_RAISE(CleanInputs inputs, PrepareClean(job));
    FitRun& run = inputs.run;
    const FitRequest& fit = run.request();
    ARROW_ASSIGN_OR_RAISE(ScoreOutputs outputs,
                          ScoreOutputs::Open(fit.pool, {job.output, job.dropped, job.fit.overwrite},
                                             inputs.configuration));
    if (outputs.finished()) return ReportDone(*outputs.finished(), inputs.options, clock);
    std::optional<RunState> state_beside;
    if (outputs.directory() == nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto opened,
                            RunState::Open({StateBeside(job.output), job.output, "out"},
                                           inputs.configuration, job.fit.overwrite));
      state_beside.emplace(std::move(opened));
    }
    RunState& state = state_beside ? *state_beside : outputs.directory()->state();
    ARROW_RETURN_NOT_OK(outputs.Stage(/*may_replace=*/state.Find(kNaming) != nullptr));
    ARROW_RETURN_NOT_OK(run.Stage(state));
    ARROW_ASSIGN_OR_RAISE(CleanFindings findings, CleanFindings::Stage(job, state));
    if (job.Examines()) run.WantFindings();
    BadFiles bad_files(job.fit.on_bad_file);
    auto check = [&](const arrow_io::ParquetInput& file) -> arrow::Status {
      ARROW_RETURN_NOT_OK(CheckScoreColumns(file, inputs.options));
      return findings.Check(file);
    };
    ARROW_RETURN_NOT_OK(run.Survey(check, bad_files, runtime));
    ARROW_ASSIGN_OR_RAISE(const FitResult fitted, run.Execute(state, bad_files, clock));
    JobReport report;
    report.fit = ReportFit(fitted.model);
    const ScoreRequest request{fit.pool, fit.pool_survey, fitted.model, inputs.options, bad_files};
    BeforeEnd before_end;
    if (job.Examines()) {
      before_end = [&](const JobReport::Score& score) {
        report.score = score;
        return findings.Write({fit, fitted, inputs.options, bad_files}, state, report, clock);
      };
    }
    ARROW_ASSIGN_OR_RAISE(report.score,
                          ScoreAll(request, inputs.configuration, outputs, clock,
                                   state_beside ? &*state_beside : nullptr, before_end));
    if (state_beside) ARROW_RETURN_NOT_OK(state_beside->Remove());
    Complete(report, bad_files, clock);
    return report;
  });
}

arrow::Result<Evaluation> Run(const EvaluateJob& job, const Runtime& runtime) {
  ARROW_ASSIGN_OR_RAISE(const InputFiles input, arrow_io::ListInputFiles(job.input, "input"));
  return Evaluate(input, job.truth, job.score, runtime);
}

}  // namespace spuna
