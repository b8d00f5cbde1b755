#include "cli/commands.h"

#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "cli/exit_codes.h"
#include "cli/interrupt.h"
#include "cli/progress_display.h"
#include "pipelines/jobs/jobs.h"
#include "pipelines/jobs/summary.h"
#include "pipelines/options/json_text.h"
#include "pipelines/run/exception_status.h"

namespace spuna::cli {
namespace {

int Fail(const arrow::Status& status, int exit_code) {
  if (status.IsCancelled()) {
    std::fputs("spuna: interrupted\n", stderr);
    return kInterrupted;
  }
  std::fprintf(stderr, "spuna: error: %s\n", MessageOf(status).c_str());
  const std::optional<FailureKind> kind = KindOf(status);
  if (kind == FailureKind::kNothingToRead) return kNothingToRead;
  if (kind == FailureKind::kMayPass) return kTryAgain;
  return exit_code;
}

// Prints the result; a closed or full standard output is a failure too.
int Print(const RunningOptions& running, const nlohmann::json& json, const std::string& text,
          std::FILE* to = stdout) {
  std::string output = text;
  if (running.json) output = DumpJson(json, 2) + "\n";
  if (!running.json && running.quiet) output.clear();
  if (std::fputs(output.c_str(), to) < 0 || std::fflush(to) != 0) {
    return Fail(arrow::Status::IOError("the result could not be printed"), kFailed);
  }
  return kDone;
}

Runtime MakeRuntime(const RunningOptions& running) {
  Runtime runtime;
  runtime.num_threads = running.threads;
  runtime.should_stop = Interrupted;
  return runtime;
}

// The same, with progress shown. The display must outlive it.
Runtime MakeRuntime(const RunningOptions& running, ProgressDisplay& display) {
  Runtime runtime = MakeRuntime(running);
  runtime.on_progress = [&](const std::string& stage, double done, std::int64_t rows) {
    display.Show(stage, done, rows);
  };
  return runtime;
}

constexpr const char* kStandard = "-";

// The output of rows that a job has; empty for none.
std::string OutputOf(const FitJob& job) { return job.model.value_or(""); }
std::string OutputOf(const ScoreJob& job) { return job.output; }
std::string OutputOf(const CleanJob& job) { return job.output; }

template <typename Job>
int PlanJob(const Job& job, const RunningOptions& running) {
  const arrow::Result<JobPlan> plan = Plan(job, MakeRuntime(running));
  if (!plan.ok()) return Fail(plan.status(), kFailed);
  return Print(running, ToJson(*plan), Summarize(*plan));
}

// A job that writes a model or rows.
template <typename Job>
int RunJob(const Job& job, const RunningOptions& running) {
  if (running.dry_run) return PlanJob(job, running);
  const bool to_standard_output = OutputOf(job) == kStandard;
  ProgressDisplay display(!running.quiet);
  const Runtime runtime = MakeRuntime(running, display);
  const arrow::Result<JobReport> report = Run(job, runtime);
  display.Clear();
  if (report.status().IsCancelled()) {
    std::fputs(to_standard_output
                   ? "spuna: interrupted; the stream on standard output is not complete\n"
                   : "spuna: interrupted; the same command resumes where it was\n",
               stderr);
    return kInterrupted;
  }
  if (!report.ok()) return Fail(report.status(), kFailed);
  // When the rows themselves go to standard output, the result goes to standard error.
  const int printed =
      Print(running, ToJson(*report),
            Summarize(*report, to_standard_output ? "standard output" : OutputOf(job)),
            to_standard_output ? stderr : stdout);
  return printed == kDone && !report->skipped.empty() ? kSkippedFiles : printed;
}

int RunJob(const MonitorJob& job, const RunningOptions& running) {
  ProgressDisplay display(!running.quiet);
  const Runtime runtime = MakeRuntime(running, display);
  const arrow::Result<MonitorReport> report = Run(job, runtime);
  display.Clear();
  if (!report.ok()) return Fail(report.status(), kFailed);
  const int printed = Print(running, ToJson(*report), Summarize(*report));
  return printed == kDone && report->found() ? kShiftFound : printed;
}

int RunJob(const ReviewJob& job, const RunningOptions& running) {
  ProgressDisplay display(!running.quiet);
  const Runtime runtime = MakeRuntime(running, display);
  const arrow::Result<ReviewReport> report = Run(job, runtime);
  display.Clear();
  if (!report.ok()) return Fail(report.status(), kFailed);
  const int printed = Print(running, ToJson(*report), Summarize(*report));
  return printed == kDone && !report->skipped.empty() ? kSkippedFiles : printed;
}

int RunJob(const EvaluateJob& job, const RunningOptions& running) {
  const auto evaluation = Run(job, MakeRuntime(running));
  if (!evaluation.ok()) return Fail(evaluation.status(), kFailed);
  return Print(running, ToJson(*evaluation), Summarize(*evaluation));
}

int RunJob(const InspectJob& job, const RunningOptions& running) {
  const auto model = LoadModel(job.model);
  if (!model.ok()) return Fail(model.status(), kFailed);
  return Print(running, model->Describe(), Summarize(*model));
}

// What this program can't do with standard input and output.
// What a review needs one of.
arrow::Status CheckRequired(const ReviewJob& job) {
  if (!job.model && job.fit.trusted.empty()) {
    return arrow::Status::Invalid("`trusted` or `model` is required: rows to fit on, or a model");
  }
  if (job.output.empty() && !job.list) {
    return arrow::Status::Invalid("`out` or `list` is required: a page, or a table of the rows");
  }
  return arrow::Status::OK();
}

arrow::Status CheckStandardStreams(const CommandOptions& options) {
  const auto* const clean = std::get_if<CleanJob>(&options.job);
  if (clean != nullptr && clean->output == kStandard) {
    return arrow::Status::Invalid("`out`: '-', standard output, is for `score`; a file of that ",
                                  "name is ./-");
  }
  const auto* const review = std::get_if<ReviewJob>(&options.job);
  if (review != nullptr) return CheckRequired(*review);
  const auto* const score = std::get_if<ScoreJob>(&options.job);
  if (score == nullptr) return arrow::Status::OK();
  const bool reads = score->input == std::vector<std::string>{kStandard};
  const bool writes = score->output == kStandard;
  if (options.running.dry_run && (reads || writes)) {
    return arrow::Status::Invalid("`dry-run` is for files: nobody knows what a stream will bring");
  }
  if (writes && isatty(STDOUT_FILENO) != 0) {
    return arrow::Status::Invalid("`out`: '-' writes an Arrow IPC stream, which is not for a ",
                                  "terminal; pipe it into something");
  }
  return arrow::Status::OK();
}

}  // namespace

int RunCommand(const CommandOptions& options) {
  arrow::Status valid = options.Validate();
  if (valid.ok()) valid = CheckStandardStreams(options);
  if (!valid.ok()) return Fail(valid, kWrongUsage);
  // `inspect` multiplies nothing: it needs no more memory than the model.
  if (!std::holds_alternative<InspectJob>(options.job)) {
    const arrow::Status started = StartProcess(options.running.threads);
    if (!started.ok()) return Fail(started, kFailed);
  }
  return std::visit([&](const auto& job) { return RunJob(job, options.running); }, options.job);
}

}  // namespace spuna::cli
