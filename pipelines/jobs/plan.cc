#include "pipelines/jobs/plan.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "arrow_io/input_files.h"
#include "arrow_io/staged_output.h"
#include "pipelines/fit/memory.h"
#include "pipelines/jobs/fit_run.h"
#include "pipelines/jobs/plan_trial.h"
#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/score/score_outputs.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Scoring holds a few batches of 8 MB, and row groups of at most 64 MB where it encodes rows
// again; docs/performance.md has what was measured.
constexpr std::int64_t kCopyMemory = 350'000'000;
constexpr std::int64_t kRewriteMemory = 550'000'000;

// Our two columns, compressed or not, are no more than this.
constexpr std::int64_t kBytesPerScore = 6;

void DescribeInput(const arrow_io::InputFiles& input, const FileSurvey& survey,
                   const BadFiles& bad_files, JobPlan& plan) {
  plan.num_rows = survey.total_rows;
  plan.dimension = survey.dimension;
  plan.skipped = bad_files.skipped();
  for (const arrow_io::InputFile& file : input.files) {
    if (bad_files.Has(file)) continue;
    ++plan.num_files;
    plan.num_bytes += file.stamp.size;
  }
}

void DescribeOutput(const arrow_io::InputFiles& input, const std::string& output,
                    const std::optional<std::string>& dropped, JobPlan& plan) {
  const std::string kind = input.is_single_file ? "file" : "directory";
  plan.outputs.push_back({output, kind, "out"});
  if (dropped) plan.outputs.push_back({*dropped, kind, "dropped"});
  plan.bytes_to_write = plan.num_bytes + kBytesPerScore * plan.num_rows;
  std::error_code error;
  const fs::path named = arrow_io::WithoutTrailingSlash(fs::absolute(output));
  const fs::space_info space = fs::space(named.parent_path(), error);
  if (!error) plan.free_disk_bytes = static_cast<std::int64_t>(space.available);
}

arrow::Status EstimateFit(const FitRun& run, BadFiles& bad_files, const Runtime& runtime,
                          JobPlan& plan, Model* model) {
  ARROW_ASSIGN_OR_RAISE(const FitShape shape, MeasureFit(run.request(), runtime));
  plan.fit_rows = shape.rows_pool;
  plan.fit_memory = static_cast<std::int64_t>(EstimateFitMemory(shape));
  ARROW_ASSIGN_OR_RAISE(FitCalibration fit, CalibrateFit(run.request(), bad_files, runtime));
  plan.fit_seconds = fit.total;
  if (model != nullptr) *model = std::move(fit.model);
  return arrow::Status::OK();
}

arrow::Status EstimateScore(const ScoreRequest& request, const std::string& output,
                            const Runtime& runtime, JobPlan& plan) {
  const bool rewrites = request.options.drop || request.options.invalid == InvalidRows::kDrop;
  plan.score_memory = rewrites ? kRewriteMemory : kCopyMemory;
  ARROW_ASSIGN_OR_RAISE(plan.score_seconds, CalibrateScore(request, output, runtime));
  return arrow::Status::OK();
}

void AddFitOutputs(const FitJob& job, JobPlan& plan) {
  if (job.model) plan.outputs.push_back({*job.model, "model", "model"});
  if (job.labels) plan.outputs.push_back({*job.labels, "labels", "labels"});
}

// Whether files could be written under these names. What a stopped run has written may be there;
// whether it is its own is for the run to find out.
arrow::Status CheckFiles(const std::vector<JobPlan::Output>& outputs, bool may_exist) {
  std::error_code error;
  for (const JobPlan::Output& output : outputs) {
    may_exist |= fs::exists(StateBeside(output.path), error) ||
                 fs::exists(fs::path(output.path) / ".spuna", error);
  }
  for (const JobPlan::Output& output : outputs) {
    if (output.kind == "directory") continue;
    ARROW_RETURN_NOT_OK(
        arrow_io::StagedOutput::Create({output.path, may_exist, output.option}).status());
  }
  return arrow::Status::OK();
}

// Whether the directories could be taken. Whatever is to be replaced stays as it is.
arrow::Result<bool> CheckDirectories(const arrow_io::InputFiles& input,
                                     const ScoreOutputs::Targets& targets,
                                     const json& configuration) {
  if (input.is_single_file || targets.overwrite) return false;
  ARROW_ASSIGN_OR_RAISE(const ScoreOutputs outputs,
                        ScoreOutputs::Open(input, targets, configuration));
  return outputs.finished().has_value();
}

}  // namespace

arrow::Result<JobPlan> Plan(const FitJob& job, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<JobPlan> {
    JobPlan plan;
    ARROW_ASSIGN_OR_RAISE(FitRun run, FitRun::Prepare(job));
    AddFitOutputs(job, plan);
    ARROW_RETURN_NOT_OK(CheckFiles(plan.outputs, job.overwrite));
    BadFiles bad_files(job.on_bad_file);
    ARROW_RETURN_NOT_OK(run.Survey({}, bad_files, runtime));
    DescribeInput(run.request().pool, run.request().pool_survey, bad_files, plan);
    ARROW_RETURN_NOT_OK(EstimateFit(run, bad_files, runtime, plan, nullptr));
    plan.free_memory = FreeMemory();
    return plan;
  });
}

arrow::Result<JobPlan> Plan(const ScoreJob& job, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<JobPlan> {
    JobPlan plan;
    ARROW_ASSIGN_OR_RAISE(const ScoreInputs inputs, PrepareScore(job));
    ARROW_ASSIGN_OR_RAISE(
        plan.was_done,
        CheckDirectories(inputs.input, {job.output, job.dropped, job.options.overwrite},
                         inputs.configuration));
    BadFiles bad_files(job.on_bad_file);
    ARROW_ASSIGN_OR_RAISE(const FileSurvey survey, SurveyScore(job, inputs, bad_files, runtime));
    DescribeInput(inputs.input, survey, bad_files, plan);
    DescribeOutput(inputs.input, job.output, job.dropped, plan);
    ARROW_RETURN_NOT_OK(CheckFiles(plan.outputs, job.options.overwrite));
    const ScoreRequest request{inputs.input, survey, inputs.model, job.options, bad_files};
    ARROW_RETURN_NOT_OK(EstimateScore(request, job.output, runtime, plan));
    plan.free_memory = FreeMemory();
    return plan;
  });
}

arrow::Result<JobPlan> Plan(const CleanJob& job, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<JobPlan> {
    JobPlan plan;
    ARROW_ASSIGN_OR_RAISE(CleanInputs inputs, PrepareClean(job));
    const FitRequest& fit = inputs.run.request();
    ARROW_ASSIGN_OR_RAISE(plan.was_done,
                          CheckDirectories(fit.pool, {job.output, job.dropped, job.fit.overwrite},
                                           inputs.configuration));
    BadFiles bad_files(job.fit.on_bad_file);
    auto check = [&](const arrow_io::ParquetInput& file) {
      return CheckScoreColumns(file, inputs.options);
    };
    ARROW_RETURN_NOT_OK(inputs.run.Survey(check, bad_files, runtime));
    DescribeInput(fit.pool, fit.pool_survey, bad_files, plan);
    DescribeOutput(fit.pool, job.output, job.dropped, plan);
    AddFitOutputs(job.fit, plan);
    ARROW_RETURN_NOT_OK(CheckFiles(plan.outputs, job.fit.overwrite || plan.was_done));
    Model model;
    ARROW_RETURN_NOT_OK(EstimateFit(inputs.run, bad_files, runtime, plan, &model));
    const ScoreRequest request{fit.pool, fit.pool_survey, model, inputs.options, bad_files};
    ARROW_RETURN_NOT_OK(EstimateScore(request, job.output, runtime, plan));
    plan.free_memory = FreeMemory();
    return plan;
  });
}

json ToJson(const JobPlan& plan) {
  json outputs = json::array();
  for (const JobPlan::Output& output : plan.outputs) {
    outputs.push_back({{"path", output.path}, {"kind", output.kind}});
  }
  json described = {{"files", plan.num_files},
                    {"rows", plan.num_rows},
                    {"bytes", plan.num_bytes},
                    {"dimension", plan.dimension},
                    {"outputs", outputs},
                    {"memory_bytes", json::object()},
                    {"free_memory_bytes", plan.free_memory},
                    {"skipped", SkippedToJson(plan.skipped)},
                    {"was_done", plan.was_done}};
  auto add = [](json& to, const char* key, const auto& value) {
    if (value) to[key] = *value;
  };
  add(described, "fit_rows", plan.fit_rows);
  add(described, "bytes_to_write", plan.bytes_to_write);
  add(described, "free_disk_bytes", plan.free_disk_bytes);
  add(described["memory_bytes"], "fit", plan.fit_memory);
  add(described["memory_bytes"], "score", plan.score_memory);
  described["seconds"] = {{"total", plan.fit_seconds.value_or(0) + plan.score_seconds.value_or(0)}};
  add(described["seconds"], "fit", plan.fit_seconds);
  add(described["seconds"], "score", plan.score_seconds);
  return described;
}

}  // namespace spuna
