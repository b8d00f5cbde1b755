#include "pipelines/jobs/fit_run.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "arrow_io/hash.h"
#include "pipelines/fit/fit_checkpoint.h"
#include "pipelines/options/option_list.h"
#include "pipelines/run/output_directory.h"
#include "pipelines/run/utc_time.h"

namespace spuna {
namespace {

using nlohmann::json;

constexpr const char* kLabels = "labels";
constexpr const char* kModel = "model";

// What the state of a run remembers.
constexpr const char* kFitted = "fitted";          // the fit is done; what is known of it
constexpr const char* kCommitting = "committing";  // the names under which files are our own
constexpr const char* kModelBytes = OutputDirectory::kModel;
// In a manifest.
constexpr const char* kFit = "fit";
constexpr const char* kReviewed = "reviewed";

}  // namespace

arrow::Result<FitRequest> MakeFitRequest(const FitJob& job) {
  ARROW_ASSIGN_OR_RAISE(Source trusted,
                        Source::List({job.trusted, "trusted", job.all_files}, OnBadFile::kError));
  ARROW_ASSIGN_OR_RAISE(Source pool, Source::List({job.pool, "pool", job.all_files, job.base},
                                                  job.on_bad_file, job.max_bad_files));
  FitRequest request(std::move(trusted), std::move(pool));
  request.options = job.options;
  request.force = job.force;
  ARROW_ASSIGN_OR_RAISE(request.reviewed, ReadReviewedRows(job.reviewed, job.options.embedding));
  request.extras.keep_banks = job.keep_banks;
  request.extras.neighbor_scores = job.labels.has_value();
  return request;
}

std::optional<JobReport::Review> DescribeReview(const FitRequest& request, bool is_learned) {
  if (request.reviewed.rows.empty()) return std::nullopt;
  JobReport::Review review;
  review.is_learned = is_learned;
  review.last_agreeing = CountLastAgreeing(request.reviewed);
  if (!is_learned && request.pool_reviews != nullptr) {
    review.warnings = ReviewWarnings(*request.pool_reviews);
  }
  return review;
}

arrow::Result<FitRun> FitRun::Prepare(FitJob job) {
  ARROW_RETURN_NOT_OK(job.options.Validate());
  ARROW_ASSIGN_OR_RAISE(FitRequest request, MakeFitRequest(job));
  FitRun run(std::move(job), std::move(request));
  run.label_options_ = {run.job_.prefix, run.job_.options.invalid};
  ARROW_RETURN_NOT_OK(run.paths_.AddInputs(run.job_.trusted, "trusted"));
  ARROW_RETURN_NOT_OK(run.paths_.AddInputs(run.job_.pool, "pool"));
  ARROW_RETURN_NOT_OK(run.paths_.AddInputs(run.job_.reviewed, "reviewed"));
  if (run.job_.labels) ARROW_RETURN_NOT_OK(run.paths_.AddOutput(*run.job_.labels, kLabels));
  if (run.job_.model) ARROW_RETURN_NOT_OK(run.paths_.AddOutput(*run.job_.model, kModel));
  return run;
}

json FitRun::DescribeInputs() const {
  json inputs = {{"trusted", request_.trusted.Fingerprint()},
                 {"pool", request_.pool.Fingerprint()},
                 {"version", SpunaVersion()}};
  if (HasReviews()) inputs["reviewed"] = request_.reviewed.hash;
  return inputs;
}

arrow::Result<json> FitRun::DescribeTrusted() const {
  ARROW_ASSIGN_OR_RAISE(json trusted, request_.trusted.FooterFingerprint());
  return json{{"trusted", std::move(trusted)}};
}

json FitRun::Configuration() const {
  CommandOptions options;
  options.job = job_;
  json configuration = DescribeResult(options);
  configuration.update(DescribeInputs());
  configuration["command"] = "fit";
  return configuration;
}

RunState::Place FitRun::StatePlace() const {
  const std::string written = job_.model ? *job_.model : job_.labels.value_or("");
  return {StateBeside(written), written, job_.model ? kModel : kLabels};
}

void FitRun::WantFindings(bool with_ids, const std::string& id) {
  request_.extras.findings = true;
  request_.extras.ids = with_ids;
  request_.id = id;
}

arrow::Status FitRun::Stage(const RunState& state) {
  // What a stopped run has written under the very name is its own.
  const json* const named = state.Find(kCommitting);
  auto add = [&](const char* option, const std::optional<std::string>& path) {
    const bool is_own = named != nullptr && path && named->value(option, "") == *path;
    return outputs_.Add(option, path, job_.overwrite || is_own);
  };
  ARROW_RETURN_NOT_OK(add(kLabels, job_.labels));
  return add(kModel, job_.model);
}

arrow::Status FitRun::Survey(const Source::FileCheck& check, const Runtime& runtime) {
  ARROW_RETURN_NOT_OK(request_.Survey(check, runtime));
  return job_.labels ? CheckLabelColumns(request_.pool, label_options_) : arrow::Status::OK();
}

std::optional<FitRun::KeptModel> FitRun::FindModel(const RunState& state, const json* manifest) {
  const json* lineage = state.Find(kFitted);
  // A finished output was scored with the model of its manifest, and with no other.
  if (manifest != nullptr) lineage = manifest->contains(kFit) ? &manifest->at(kFit) : nullptr;
  const std::optional<std::string> bytes = state.Load(kModelBytes);
  if (lineage == nullptr || !lineage->is_object() || !bytes ||
      lineage->value("hash", "") != arrow_io::HashDigits(*bytes)) {
    return std::nullopt;
  }
  arrow::Result<Model> model = ParseModel(*bytes, "of the earlier run");
  if (!model.ok()) return std::nullopt;
  return KeptModel{*std::move(model), *lineage};
}

bool FitRun::IsOfThisPool(const KeptModel& kept) const {
  return kept.lineage.value("pool", json()) == request_.pool.Fingerprint();
}

bool FitRun::HasLearned(const json& lineage) const {
  return lineage.value(kReviewed, "") == request_.reviewed.hash;
}

arrow::Status FitRun::PlaceReviews(const Runtime& runtime) {
  ARROW_RETURN_NOT_OK(request_.pool.Survey({job_.options.embedding, ""}, /*check=*/{}, runtime));
  return request_.PlaceReviews(runtime);
}

arrow::Result<std::optional<FitResult>> FitRun::TakeFinished(RunState& state) {
  std::optional<KeptModel> kept = FindModel(state, /*manifest=*/nullptr);
  std::error_code error;
  const bool has_labels = !job_.labels || std::filesystem::exists(*job_.labels, error);
  if (!kept || request_.extras.findings || !has_labels) return std::nullopt;
  outputs_.Remove(kLabels);
  lineage_ = kept->lineage;
  ARROW_RETURN_NOT_OK(Commit(SerializeModel(kept->model), state));
  FitResult result;
  result.model = std::move(kept->model);
  return result;
}

arrow::Result<FitResult> FitRun::Execute(RunState& state, StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(std::optional<FitResult> finished, TakeFinished(state));
  if (finished) return *std::move(finished);
  clock.Expect({"read", "seed", "expand", "entropy", "distill", "write"});
  FitCheckpoint checkpoint(state, job_.checkpoint_seconds);
  ARROW_ASSIGN_OR_RAISE(FitResult fit, Fit(request_, &checkpoint, clock));
  if (const arrow_io::StagedOutput* const labels = outputs_.Find(kLabels)) {
    ARROW_RETURN_NOT_OK(WriteLabels(request_.pool, fit, label_options_, *labels, clock));
  }
  clock.Report("write");
  ARROW_RETURN_NOT_OK(clock.runtime().CheckStop());
  const std::string bytes = SerializeModel(fit.model);
  lineage_ = {{"hash", arrow_io::HashDigits(bytes)},
              {"at", UtcTime(std::chrono::system_clock::now())},
              {"pool", request_.pool.Fingerprint()}};
  if (HasReviews()) lineage_[kReviewed] = request_.reviewed.hash;
  ARROW_RETURN_NOT_OK(state.Save(kModelBytes, bytes));
  ARROW_RETURN_NOT_OK(Commit(bytes, state));
  ARROW_RETURN_NOT_OK(state.Record(kFitted, lineage_));
  clock.Pause();
  return fit;
}

arrow::Status FitRun::WriteKept(const KeptModel& kept) const {
  std::error_code error;
  if (!job_.model || std::filesystem::exists(*job_.model, error)) return arrow::Status::OK();
  OutputSet output;
  ARROW_RETURN_NOT_OK(output.Add(kModel, job_.model, /*may_replace=*/false));
  ARROW_RETURN_NOT_OK(output.Write(kModel, SerializeModel(kept.model)));
  return output.Commit();
}

arrow::Status FitRun::Commit(const std::string& model, RunState& state) {
  ARROW_RETURN_NOT_OK(outputs_.Write(kModel, model));
  return outputs_.Commit(state, kCommitting,
                         {{kLabels, job_.labels.value_or("")}, {kModel, job_.model.value_or("")}});
}

}  // namespace spuna
