#include "pipelines/score/score_outputs.h"

#include <chrono>

#include "arrow_io/hash.h"
#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/options/option_words.h"
#include "pipelines/run/job_paths.h"
#include "pipelines/run/json_text.h"
#include "pipelines/run/utc_time.h"

namespace spuna {

using nlohmann::json;

void DescribeScoring(const ScoreOptions& options, bool has_dropped, json& configuration) {
  configuration["by"] = ToWord(options.by);
  configuration["prefix"] = options.prefix;
  configuration["invalid"] = ToWord(options.invalid);
  configuration["drop"] = options.drop;
  configuration["p-values"] = options.p_values;
  if (options.threshold) configuration["threshold"] = *options.threshold;
  if (options.max_clean_loss) configuration["max-clean-loss"] = *options.max_clean_loss;
  configuration["dropped"] = has_dropped;
  configuration["embedding"] = options.embedding;
  configuration["version"] = SpunaVersion();
}

arrow::Status CheckScoring(const ScoreOptions& options, const std::optional<std::string>& dropped) {
  ARROW_RETURN_NOT_OK(options.Validate());
  if (options.drop || !dropped) return arrow::Status::OK();
  return arrow::Status::Invalid("`dropped` needs `drop`: without it no row is left out");
}

arrow::Result<ScoreInputs> PrepareScore(const ScoreJob& job) {
  ScoreInputs inputs;
  ARROW_RETURN_NOT_OK(CheckScoring(job.options, job.dropped));
  ARROW_ASSIGN_OR_RAISE(inputs.input, arrow_io::ListInputFiles(job.input, "input"));
  ARROW_ASSIGN_OR_RAISE(inputs.model, LoadModel(job.model));
  JobPaths paths;
  ARROW_RETURN_NOT_OK(paths.AddInputs(job.input, "input"));
  ARROW_RETURN_NOT_OK(paths.AddInputs({job.model}, "model"));
  ARROW_RETURN_NOT_OK(paths.AddOutput(job.output, "out"));
  if (job.dropped) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.dropped, "dropped"));
  inputs.configuration = {{"command", "score"},
                          {"input", Fingerprint(inputs.input)},
                          {"model", arrow_io::HashDigits(SerializeModel(inputs.model))}};
  DescribeScoring(job.options, job.dropped.has_value(), inputs.configuration);
  return inputs;
}

arrow::Result<FileSurvey> SurveyScore(const ScoreJob& job, const ScoreInputs& inputs,
                                      BadFiles& bad_files, const Runtime& runtime) {
  ARROW_ASSIGN_OR_RAISE(const std::string embedding,
                        ResolveEmbeddingColumn(inputs.input, job.options.embedding,
                                               inputs.model.options.embedding, &bad_files));
  auto check = [&](const arrow_io::ParquetInput& file) {
    return CheckScoreColumns(file, job.options);
  };
  return SurveyFiles(inputs.input, embedding, check, bad_files, runtime);
}

arrow::Result<ScoreOutputs> ScoreOutputs::Open(const arrow_io::InputFiles& input,
                                               const Targets& targets, const json& configuration) {
  ScoreOutputs outputs(targets, configuration);
  if (input.is_single_file) return outputs;
  ARROW_ASSIGN_OR_RAISE(
      auto opened,
      OutputDirectory::Open({targets.output, targets.overwrite, "out"}, configuration));
  outputs.directory_.emplace(std::move(opened));
  if (!targets.dropped || outputs.directory_->finished()) return outputs;
  // It is finished first, so a run may have been stopped between the two.
  ARROW_ASSIGN_OR_RAISE(auto dropped,
                        OutputDirectory::Open({*targets.dropped, targets.overwrite, "dropped"},
                                              configuration, /*reopens=*/!targets.overwrite));
  outputs.dropped_directory_.emplace(std::move(dropped));
  return outputs;
}

std::optional<json> ScoreOutputs::finished() const {
  return directory_ ? directory_->finished() : std::nullopt;
}

arrow::Status ScoreOutputs::Stage(bool may_replace) {
  if (directory_) return arrow::Status::OK();
  const bool overwrite = targets_.overwrite || may_replace;
  ARROW_ASSIGN_OR_RAISE(auto file,
                        arrow_io::StagedOutput::Create({targets_.output, overwrite, "out"}));
  file_.emplace(std::move(file));
  if (!targets_.dropped) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto dropped,
                        arrow_io::StagedOutput::Create({*targets_.dropped, overwrite, "dropped"}));
  dropped_file_.emplace(std::move(dropped));
  return arrow::Status::OK();
}

arrow::Result<ScoreResult> ScoreOutputs::Score(const ScoreRequest& request, StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(
      ScoreResult result,
      directory_
          ? ScoreIntoDirectory(request, *directory_,
                               dropped_directory_ ? &*dropped_directory_ : nullptr, clock)
          : ScoreIntoFile(request, *file_, dropped_file_ ? &*dropped_file_ : nullptr, clock));
  if (!result.files.empty()) return result;
  const auto skipped = request.bad_files.skipped();
  return arrow::Status::IOError("none of ", request.input.files.size(),
                                " files can be read; the first: ", skipped.begin()->second);
}

arrow::Status ScoreOutputs::Finish(const json& manifest) {
  for (auto* directory : {&dropped_directory_, &directory_}) {
    if (*directory) ARROW_RETURN_NOT_OK((*directory)->Finish(manifest));
  }
  for (auto* file : {&dropped_file_, &file_}) {
    if (*file) ARROW_RETURN_NOT_OK((*file)->Check());
  }
  for (auto* file : {&dropped_file_, &file_}) {
    if (*file) ARROW_RETURN_NOT_OK((*file)->Commit());
  }
  return arrow::Status::OK();
}

json MakeManifest(const json& configuration, const ScoreRequest& request, const Decision& decision,
                  const ScoreResult& result, StageClock& clock) {
  json manifest = {{"command", configuration.at("command")},
                   {"configuration", configuration},
                   {"configuration_hash", arrow_io::HashDigits(DumpJson(configuration))},
                   {"model", request.model.Describe()},
                   {"model_hash", arrow_io::HashDigits(SerializeModel(request.model))},
                   {"decision", ToJson(decision)},
                   {"versions", Versions()},
                   {"skipped", SkippedToJson(request.bad_files.skipped())},
                   {"seconds", clock.Seconds()},
                   {"finished_at", UtcTime(std::chrono::system_clock::now())},
                   {"total", ToJson(result.total, request.options.by)},
                   {"files", json::object()}};
  manifest["total"]["files"] = result.files.size();
  for (const auto& [path, file] : result.files) {
    manifest["files"][path] = ToJson(file, request.options.by);
  }
  return manifest;
}

}  // namespace spuna
