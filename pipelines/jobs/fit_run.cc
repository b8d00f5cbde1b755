#include "pipelines/jobs/fit_run.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "arrow_io/hash.h"
#include "pipelines/fit/fit_checkpoint.h"
#include "pipelines/options/option_words.h"
#include "pipelines/score/score_outputs.h"

namespace spuna {
namespace {

using arrow_io::StagedOutput;
using nlohmann::json;

// What the state of a run remembers.
constexpr const char* kFitted = "fitted";          // the fit is done; the hash of its model
constexpr const char* kCommitting = "committing";  // the names under which files are our own
constexpr const char* kModelBytes = "model.safetensors";

}  // namespace

arrow::Result<FitRun> FitRun::Prepare(FitJob named) {
  FitRun run(std::move(named));
  const FitJob& job = run.job_;
  ARROW_RETURN_NOT_OK(job.options.Validate());
  ARROW_ASSIGN_OR_RAISE(run.request_.trusted, arrow_io::ListInputFiles(job.trusted, "trusted"));
  ARROW_ASSIGN_OR_RAISE(run.request_.pool, arrow_io::ListInputFiles(job.pool, "pool"));
  run.request_.options = job.options;
  run.request_.force = job.force;
  run.request_.extras.keep_banks = job.keep_banks;
  run.request_.extras.neighbor_scores = job.labels.has_value();
  run.label_options_.prefix = job.prefix;
  run.label_options_.invalid = job.options.invalid;
  ARROW_RETURN_NOT_OK(run.paths_.AddInputs(job.trusted, "trusted"));
  ARROW_RETURN_NOT_OK(run.paths_.AddInputs(job.pool, "pool"));
  if (job.labels) ARROW_RETURN_NOT_OK(run.paths_.AddOutput(*job.labels, "labels"));
  if (job.model) ARROW_RETURN_NOT_OK(run.paths_.AddOutput(*job.model, "model"));
  return run;
}

json FitRun::Configuration(const std::string& command) const {
  json configuration = ToJson(job_.options);
  configuration["command"] = command;
  configuration["invalid"] = ToWord(job_.options.invalid);
  configuration["keep-banks"] = job_.keep_banks;
  configuration["labels"] = job_.labels.has_value();
  configuration["writes-model"] = job_.model.has_value();
  configuration["prefix"] = job_.prefix;
  configuration["trusted"] = Fingerprint(request_.trusted);
  configuration["pool"] = Fingerprint(request_.pool);
  configuration["version"] = SpunaVersion();
  return configuration;
}

arrow::Status FitRun::Stage(const RunState& state) {
  auto reserve = [&](const std::optional<std::string>& path, const std::string& option,
                     std::optional<StagedOutput>& output) -> arrow::Status {
    if (!path) return arrow::Status::OK();
    // What a stopped run has written under the very name is its own.
    const json* const named = state.Find(kCommitting);
    const bool is_own = named != nullptr && named->value(option, "") == *path;
    ARROW_ASSIGN_OR_RAISE(auto staged,
                          StagedOutput::Create({*path, job_.overwrite || is_own, option}));
    output.emplace(std::move(staged));
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(reserve(job_.labels, "labels", labels_));
  return reserve(job_.model, "model", model_);
}

arrow::Status FitRun::Survey(
    const std::function<arrow::Status(const arrow_io::ParquetInput&)>& check, BadFiles& bad_files,
    const Runtime& runtime) {
  ARROW_RETURN_NOT_OK(SurveyPool(request_, check, bad_files, runtime));
  if (!job_.labels) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(label_options_.embedding, ResolvePoolEmbedding(request_, bad_files));
  return CheckLabelColumns(request_.pool, label_options_, bad_files);
}

arrow::Result<FitResult> FitRun::Execute(RunState& state, BadFiles& bad_files, StageClock& clock) {
  const json* const fitted = state.Find(kFitted);
  if (fitted != nullptr && !request_.extras.findings) {
    const std::optional<std::string> bytes = state.Load(kModelBytes);
    std::error_code error;
    const bool has_labels = !job_.labels || std::filesystem::exists(*job_.labels, error);
    if (has_labels && bytes && *fitted == arrow_io::HashDigits(*bytes)) {
      labels_.reset();
      ARROW_RETURN_NOT_OK(Commit(*bytes, state));
      FitResult result;
      ARROW_ASSIGN_OR_RAISE(result.model, ParseModel(*bytes, "of the stopped run"));
      return result;
    }
  }
  clock.Expect({"read", "seed", "expand", "entropy", "distill", "write"});
  FitCheckpoint checkpoint(state, job_.checkpoint_seconds);
  ARROW_ASSIGN_OR_RAISE(FitResult fit, Fit(request_, bad_files, &checkpoint, clock));
  if (labels_) {
    ARROW_RETURN_NOT_OK(
        WriteLabels(request_.pool, fit, label_options_, bad_files, *labels_, clock));
  }
  clock.Report("write");
  if (clock.runtime().ShouldStop()) return arrow::Status::Cancelled("interrupted");
  const std::string bytes = SerializeModel(fit.model);
  ARROW_RETURN_NOT_OK(state.Save(kModelBytes, bytes));
  ARROW_RETURN_NOT_OK(Commit(bytes, state));
  ARROW_RETURN_NOT_OK(state.Record(kFitted, arrow_io::HashDigits(bytes)));
  clock.Pause();
  return fit;
}

arrow::Status FitRun::Commit(const std::string& model, RunState& state) {
  if (model_) ARROW_RETURN_NOT_OK(WriteModel(model, *model_));
  for (auto* output : {&labels_, &model_}) {
    if (*output) ARROW_RETURN_NOT_OK((*output)->Check());
  }
  ARROW_RETURN_NOT_OK(state.Record(
      kCommitting, {{"labels", job_.labels.value_or("")}, {"model", job_.model.value_or("")}}));
  for (auto* output : {&labels_, &model_}) {
    if (*output) ARROW_RETURN_NOT_OK((*output)->Commit());
  }
  return arrow::Status::OK();
}

arrow::Result<CleanInputs> PrepareClean(const CleanJob& job) {
  ScoreOptions options;
  options.embedding = job.fit.options.embedding;
  options.prefix = job.fit.prefix;
  options.invalid = job.fit.options.invalid;
  options.drop = job.drop;
  options.p_values = job.p_values;
  ARROW_RETURN_NOT_OK(CheckScoring(options, job.dropped));
  FitJob fit = job.fit;
  fit.options.decision = CalibratedFor(options, fit.options.decision);
  ARROW_ASSIGN_OR_RAISE(FitRun run, FitRun::Prepare(std::move(fit)));
  ARROW_RETURN_NOT_OK(run.paths().AddOutput(job.output, "out"));
  if (job.dropped) ARROW_RETURN_NOT_OK(run.paths().AddOutput(*job.dropped, "dropped"));
  if (job.reasons) ARROW_RETURN_NOT_OK(run.paths().AddOutput(*job.reasons, "reasons"));
  if (job.report) ARROW_RETURN_NOT_OK(run.paths().AddOutput(*job.report, "report"));
  json configuration = run.Configuration("clean");
  configuration["reasons"] = job.reasons.has_value();
  configuration["report"] = job.report.has_value();
  configuration["group-by"] = job.group_by;
  configuration["id"] = job.id;
  configuration["truth"] = job.truth;
  configuration["report-image"] = job.image;
  DescribeScoring(options, job.dropped.has_value(), configuration);
  return CleanInputs{std::move(run), std::move(options), std::move(configuration)};
}

}  // namespace spuna
