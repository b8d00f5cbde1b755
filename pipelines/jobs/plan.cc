#include "pipelines/jobs/plan.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "arrow_io/staged_output.h"
#include "pipelines/jobs/clean_run.h"
#include "pipelines/jobs/fit_run.h"
#include "pipelines/jobs/plan_trial.h"
#include "pipelines/jobs/score_run.h"
#include "pipelines/run/system_memory.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;

// Scoring holds a few batches of 8 MB, and row groups of at most 64 MB where it encodes rows
// again; docs/performance.md has what was measured.
constexpr std::int64_t kCopyMemory = 350'000'000;
constexpr std::int64_t kRewriteMemory = 550'000'000;

// Our two columns, compressed or not, are no more than this.
constexpr std::int64_t kBytesPerScore = 6;

void DescribeInput(const Source& source, JobPlan& plan) {
  plan.num_rows = source.num_rows();
  plan.dimension = source.dimension();
  plan.skipped = source.bad_files().skipped();
  for (std::size_t i = 0; i < source.files().size(); ++i) {
    if (!source.IsRead(i)) continue;
    ++plan.num_files;
    plan.num_bytes += source.files()[i].stamp.size;
  }
}

void DescribeOutput(const Source& source, const ScoreOutputs::Targets& targets, JobPlan& plan) {
  const std::string kind = source.IsSingleFile() ? "file" : "directory";
  plan.outputs.push_back({targets.output, kind, "out"});
  if (targets.dropped) plan.outputs.push_back({*targets.dropped, kind, "dropped"});
  plan.bytes_to_write = plan.num_bytes + kBytesPerScore * plan.num_rows;
  std::error_code error;
  const fs::path named = arrow_io::WithoutTrailingSlash(fs::absolute(targets.output));
  const fs::space_info space = fs::space(named.parent_path(), error);
  if (!error) plan.free_disk_bytes = static_cast<std::int64_t>(space.available);
}

void AddFile(const std::optional<std::string>& path, const char* option, JobPlan& plan) {
  if (path) plan.outputs.push_back({*path, option, option});
}

arrow::Result<Model> EstimateFit(const FitRequest& request, const Runtime& runtime, JobPlan& plan) {
  const FitShape shape = request.Shape();
  plan.fit_rows = shape.rows_pool;
  plan.fit_memory = static_cast<std::int64_t>(EstimateFitMemory(shape));
  ARROW_ASSIGN_OR_RAISE(FitTrial trial, TryFit(request, runtime));
  plan.fit_seconds = trial.total;
  plan.skipped = request.pool.bad_files().skipped();
  return std::move(trial.model);
}

arrow::Status EstimateScore(const ScoreRequest& request, const std::string& output,
                            const Runtime& runtime, JobPlan& plan) {
  const bool rewrites = request.options.drop || request.options.invalid == InvalidRows::kDrop;
  plan.score_memory = rewrites ? kRewriteMemory : kCopyMemory;
  // How much of the input some columns are is not known.
  if (request.options.columns) plan.bytes_to_write.reset();
  ARROW_ASSIGN_OR_RAISE(plan.score_seconds, TryScore(request, output, runtime));
  return arrow::Status::OK();
}

// Whether files could be written under these names. What a stopped run has written may be there;
// whether it is its own is for the run to find out.
arrow::Status CheckFiles(const std::vector<JobPlan::Output>& outputs, bool may_exist) {
  std::error_code error;
  for (const JobPlan::Output& output : outputs) {
    may_exist |=
        fs::exists(StateBeside(output.path), error) || fs::exists(StateOf(output.path), error);
  }
  OutputSet files;
  for (const JobPlan::Output& output : outputs) {
    if (output.kind != "directory") {
      ARROW_RETURN_NOT_OK(files.Add(output.option, output.path, may_exist));
      continue;
    }
    const fs::path folder = arrow_io::WithoutTrailingSlash(fs::absolute(output.path)).parent_path();
    if (!fs::is_directory(folder, error)) {
      return arrow::Status::IOError("`", output.option, "`: ", output.path, ": the folder ",
                                    folder.string(), " does not exist; create it first");
    }
  }
  return arrow::Status::OK();
}

// Whether there is an output to look at. To open one that is not would make it.
bool IsThere(const std::string& output) {
  std::error_code error;
  return fs::exists(fs::symlink_status(output, error));
}

}  // namespace

arrow::Result<JobPlan> PlanFit(const FitJob& job, StageClock& clock) {
  JobPlan plan;
  ARROW_RETURN_NOT_OK(job.Validate());
  ARROW_ASSIGN_OR_RAISE(FitRun run, FitRun::Prepare(job));
  AddFile(job.model, "model", plan);
  AddFile(job.labels, "labels", plan);
  if (!job.overwrite) {
    ARROW_RETURN_NOT_OK(RunState::Check(run.StatePlace(), run.Configuration()));
  }
  ARROW_RETURN_NOT_OK(CheckFiles(plan.outputs, job.overwrite));
  ARROW_RETURN_NOT_OK(run.Survey({}, clock.runtime()));
  DescribeInput(run.request().pool, plan);
  ARROW_RETURN_NOT_OK(EstimateFit(run.request(), clock.runtime(), plan).status());
  plan.free_memory = FreeMemory();
  return plan;
}

arrow::Result<JobPlan> PlanScore(const ScoreJob& job, StageClock& clock) {
  JobPlan plan;
  ARROW_ASSIGN_OR_RAISE(ScoreRun run, ScoreRun::Prepare(job));
  // What is to be replaced stays as it is.
  std::optional<Scoring> scoring;
  if (!run.input().IsSingleFile() && !job.options.overwrite && IsThere(job.output)) {
    ARROW_ASSIGN_OR_RAISE(Scoring opened, run.Open(clock));
    scoring.emplace(std::move(opened));
    plan.was_done = run.IsDone(*scoring);
    if (!plan.was_done) ARROW_RETURN_NOT_OK(run.Stage(*scoring));
  }
  ARROW_RETURN_NOT_OK(run.Survey(clock.runtime()));
  DescribeInput(run.input(), plan);
  DescribeOutput(run.input(), run.targets(), plan);
  AddFile(job.reasons, "reasons", plan);
  AddFile(job.report, "report", plan);
  if (!scoring) ARROW_RETURN_NOT_OK(CheckFiles(plan.outputs, job.options.overwrite));
  plan.free_memory = FreeMemory();
  if (plan.was_done) return plan;
  ARROW_RETURN_NOT_OK(
      EstimateScore({run.input(), run.model(), job.options}, job.output, clock.runtime(), plan));
  return plan;
}

arrow::Result<JobPlan> PlanClean(const CleanJob& job, StageClock& clock) {
  JobPlan plan;
  ARROW_ASSIGN_OR_RAISE(CleanRun run, CleanRun::Prepare(job));
  const Source& pool = run.request().pool;
  const bool writes = !job.output.empty();
  const bool replaces = job.fit.overwrite || job.refit;
  const bool opens = writes && !pool.IsSingleFile() && !replaces && IsThere(job.output);
  if (opens) {
    ARROW_ASSIGN_OR_RAISE(const std::optional<JobReport> finished, run.Open(clock));
    plan.was_done = finished.has_value();
  } else if (writes && !replaces && pool.IsSingleFile()) {
    ARROW_RETURN_NOT_OK(RunState::Check(run.StatePlace(), run.configuration()));
  }
  ARROW_RETURN_NOT_OK(run.Survey(clock.runtime()));
  DescribeInput(pool, plan);
  if (writes) DescribeOutput(pool, run.targets(), plan);
  AddFile(job.fit.model, "model", plan);
  AddFile(job.fit.labels, "labels", plan);
  AddFile(job.reasons, "reasons", plan);
  AddFile(job.report, "report", plan);
  const Model* const kept = run.kept_model();
  if (!opens) ARROW_RETURN_NOT_OK(CheckFiles(plan.outputs, replaces));
  plan.free_memory = FreeMemory();
  if (plan.was_done) return plan;
  Model fitted;
  if (kept == nullptr) {
    ARROW_ASSIGN_OR_RAISE(fitted, EstimateFit(run.request(), clock.runtime(), plan));
  }
  const Model& model = kept != nullptr ? *kept : fitted;
  // Rows that are not written are scored to a place of no consequence.
  const std::string output =
      writes ? job.output : (fs::temp_directory_path() / "spuna-plan").string();
  ScoreOptions scoring = run.scoring_options();
  // Those of a stream need not be columns of each file.
  if (!writes) scoring.columns.reset();
  ARROW_RETURN_NOT_OK(EstimateScore({pool, model, scoring}, output, clock.runtime(), plan));
  return plan;
}

}  // namespace spuna
