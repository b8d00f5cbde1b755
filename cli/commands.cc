#include "cli/commands.h"

#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/exit_codes.h"
#include "cli/interrupt.h"
#include "cli/progress_display.h"
#include "cli/summary.h"
#include "pipelines/jobs/jobs.h"
#include "pipelines/jobs/plan.h"
#include "pipelines/monitor/monitor.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/run/json_text.h"

namespace spuna::cli {
namespace {

int Fail(const arrow::Status& status, int exit_code) {
  if (status.IsCancelled()) {
    std::fputs("spuna: interrupted\n", stderr);
    return kInterrupted;
  }
  std::fprintf(stderr, "spuna: error: %s\n", MessageOf(status).c_str());
  return exit_code;
}

// Prints the result; a closed or full standard output is a failure too. When the rows themselves go
// to standard output, the result goes to standard error.
int Print(const Arguments& arguments, const nlohmann::json& json, const std::string& text) {
  std::string output = text;
  if (arguments.json) output = DumpJson(json, 2) + "\n";
  if (!arguments.json && arguments.quiet) output.clear();
  std::FILE* const to = arguments.out == "-" ? stderr : stdout;
  if (std::fputs(output.c_str(), to) < 0 || std::fflush(to) != 0) {
    return Fail(arrow::Status::IOError("the result could not be printed"), kFailed);
  }
  return kDone;
}

FitJob MakeFitJob(const Arguments& arguments) {
  FitJob job;
  job.trusted = arguments.trusted;
  job.pool = arguments.pool;
  if (!arguments.model.empty()) job.model = arguments.model;
  if (!arguments.labels.empty()) job.labels = arguments.labels;
  job.keep_banks = arguments.keep_banks;
  job.options = arguments.fit;
  job.prefix = arguments.prefix;
  job.overwrite = arguments.overwrite;
  job.force = arguments.force;
  job.on_bad_file = arguments.on_bad_file;
  job.checkpoint_seconds = arguments.checkpoint_seconds;
  return job;
}

ScoreJob MakeScoreJob(const Arguments& arguments) {
  ScoreJob job;
  job.model = arguments.model;
  job.input = arguments.input;
  job.output = arguments.out;
  job.options.embedding = arguments.fit.embedding;
  job.options.by = arguments.by;
  job.options.prefix = arguments.prefix;
  job.options.invalid = arguments.fit.invalid;
  job.options.neighbors = arguments.fit.neighbors;
  job.options.overwrite = arguments.overwrite;
  job.options.drop = arguments.drop;
  job.options.p_values = arguments.p_values;
  job.options.threshold = arguments.fit.decision.threshold;
  job.options.max_clean_loss = arguments.fit.decision.max_clean_loss;
  if (!arguments.dropped.empty()) job.dropped = arguments.dropped;
  job.on_bad_file = arguments.on_bad_file;
  return job;
}

// "a,b" as "a" and "b"; empty names are left out.
std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

CleanJob MakeCleanJob(const Arguments& arguments) {
  CleanJob job;
  job.fit = MakeFitJob(arguments);
  job.output = arguments.out;
  job.drop = arguments.drop;
  job.p_values = arguments.p_values;
  if (!arguments.reasons.empty()) job.reasons = arguments.reasons;
  if (!arguments.report.empty()) job.report = arguments.report;
  job.group_by = SplitAtCommas(arguments.group_by);
  job.id = arguments.id;
  job.truth = arguments.truth;
  job.image = arguments.report_image;
  if (!arguments.dropped.empty()) job.dropped = arguments.dropped;
  return job;
}

MonitorJob MakeMonitorJob(const Arguments& arguments) {
  MonitorJob job;
  job.model = arguments.model;
  job.input = arguments.input;
  if (!arguments.state.empty()) job.state = arguments.state;
  if (!arguments.metrics.empty()) job.metrics = arguments.metrics;
  if (!arguments.report.empty()) job.report = arguments.report;
  job.options.embedding = arguments.fit.embedding;
  job.options.invalid = arguments.fit.invalid;
  job.options.level = arguments.level;
  return job;
}

Runtime MakeRuntime(const Arguments& arguments) {
  Runtime runtime;
  runtime.num_threads = arguments.threads;
  runtime.should_stop = Interrupted;
  return runtime;
}

// The same, with progress shown. The display must outlive it.
Runtime MakeRuntime(const Arguments& arguments, ProgressDisplay& display) {
  Runtime runtime = MakeRuntime(arguments);
  runtime.on_progress = [&](const std::string& stage, double done, std::int64_t rows) {
    display.Show(stage, done, rows);
  };
  return runtime;
}

template <typename Job>
int PlanJob(const Job& job, const Arguments& arguments) {
  const Runtime runtime = MakeRuntime(arguments);
  const arrow::Result<JobPlan> plan = Plan(job, runtime);
  if (!plan.ok()) return Fail(plan.status(), kFailed);
  return Print(arguments, ToJson(*plan), Summarize(*plan));
}

template <typename Job>
int RunJob(const Job& job, const Arguments& arguments, const std::string& written_to) {
  if (arguments.dry_run) return PlanJob(job, arguments);
  ProgressDisplay display(!arguments.quiet);
  const Runtime runtime = MakeRuntime(arguments, display);
  const arrow::Result<JobReport> report = Run(job, runtime);
  display.Clear();
  if (report.status().IsCancelled() && arguments.out == "-") {
    std::fputs("spuna: interrupted; the stream on standard output is not complete\n", stderr);
    return kInterrupted;
  }
  if (report.status().IsCancelled()) {
    std::fputs("spuna: interrupted; the same command goes on where it was\n", stderr);
    return kInterrupted;
  }
  if (!report.ok()) return Fail(report.status(), kFailed);
  const int printed = Print(arguments, ToJson(*report), Summarize(*report, written_to));
  return printed == kDone && !report->skipped.empty() ? kSkippedFiles : printed;
}

int RunMonitor(const Arguments& arguments) {
  const MonitorJob job = MakeMonitorJob(arguments);
  const arrow::Status valid = job.options.Validate();
  if (!valid.ok()) return Fail(valid, kWrongUsage);
  ProgressDisplay display(!arguments.quiet);
  const Runtime runtime = MakeRuntime(arguments, display);
  const arrow::Result<MonitorReport> report = Run(job, runtime);
  display.Clear();
  if (!report.ok()) return Fail(report.status(), kFailed);
  const int printed = Print(arguments, ToJson(*report), Summarize(*report));
  return printed == kDone && report->found() ? kShiftFound : printed;
}

int RunEvaluate(const Arguments& arguments) {
  const Runtime runtime = MakeRuntime(arguments);
  const auto evaluation =
      Run(EvaluateJob{arguments.input, arguments.truth, arguments.score_column}, runtime);
  if (!evaluation.ok()) return Fail(evaluation.status(), kFailed);
  return Print(arguments, ToJson(*evaluation), Summarize(*evaluation));
}

int RunInspect(const Arguments& arguments) {
  const auto model = LoadModel(arguments.model);
  if (!model.ok()) return Fail(model.status(), kFailed);
  return Print(arguments, model->Describe(), Summarize(*model));
}

}  // namespace

int RunCommand(const Arguments& arguments) {
  const arrow::Status valid = arguments.fit.Validate();
  if (!valid.ok()) return Fail(valid, kWrongUsage);
  if (arguments.keep_banks && arguments.model.empty()) {
    return Fail(arrow::Status::Invalid("`keep-banks` needs a `model` to keep them in"),
                kWrongUsage);
  }
  if (!arguments.dropped.empty() && !arguments.drop) {
    return Fail(arrow::Status::Invalid("`dropped` needs `drop`: without it no row is left out"),
                kWrongUsage);
  }
  if (arguments.dry_run &&
      (arguments.out == "-" || arguments.input == std::vector<std::string>{"-"})) {
    return Fail(
        arrow::Status::Invalid("`dry-run` is for files: nobody knows what a stream will bring"),
        kWrongUsage);
  }
  if (arguments.out == "-" && arguments.command != Command::kScore) {
    return Fail(arrow::Status::Invalid(
                    "`out`: '-', standard output, is for `score`; a file of that ", "name is ./-"),
                kWrongUsage);
  }
  if (arguments.out == "-" && isatty(STDOUT_FILENO) != 0) {
    return Fail(arrow::Status::Invalid("`out`: '-' writes an Arrow IPC stream, which is not for a ",
                                       "terminal; pipe it into something"),
                kWrongUsage);
  }
  const arrow::Status started = StartProcess(arguments.threads);
  if (!started.ok()) return Fail(started, kFailed);
  switch (arguments.command) {
    case Command::kFit:
      return RunJob(MakeFitJob(arguments), arguments, arguments.model);
    case Command::kScore:
      return RunJob(MakeScoreJob(arguments), arguments,
                    arguments.out == "-" ? "standard output" : arguments.out);
    case Command::kClean:
      return RunJob(MakeCleanJob(arguments), arguments, arguments.out);
    case Command::kEvaluate:
      return RunEvaluate(arguments);
    case Command::kMonitor:
      return RunMonitor(arguments);
    case Command::kInspect:
      break;
  }
  return RunInspect(arguments);
}

}  // namespace spuna::cli
