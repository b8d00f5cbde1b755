#pragma once

#include <arrow/result.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "arrow_io/parquet_input.h"
#include "arrow_io/staged_output.h"
#include "pipelines/fit/fit.h"
#include "pipelines/jobs/jobs.h"
#include "pipelines/run/job_paths.h"
#include "pipelines/run/run_state.h"
#include "pipelines/score/label_output.h"
#include "pipelines/source/bad_files.h"

namespace spuna {

/// The part that fitting and cleaning share: lists the inputs, fits, and writes labels and model.
class FitRun {
 public:
  static arrow::Result<FitRun> Prepare(FitJob job);

  JobPaths& paths() { return paths_; }
  const FitRequest& request() const { return request_; }

  /// What decides the model, and which outputs the fit has.
  nlohmann::json Configuration(const std::string& command) const;

  /// Reserves the outputs.
  arrow::Status Stage(const RunState& state);

  /// Reads the footers, and finds out what the fit can't do before the work. `check` is as in
  /// SurveyFiles.
  arrow::Status Survey(const std::function<arrow::Status(const arrow_io::ParquetInput&)>& check,
                       BadFiles& bad_files, const Runtime& runtime);

  /// Asks for findings, before Execute.
  void WantFindings() { request_.extras.findings = true; }

  /// Fits, and writes the labels and the model where they are asked for. What an earlier run has
  /// finished is taken from the state: the whole of a fit without findings, of which only the model
  /// is then there, else its last round.
  arrow::Result<FitResult> Execute(RunState& state, BadFiles& bad_files, StageClock& clock);

 private:
  explicit FitRun(FitJob job) : job_(std::move(job)) {}

  // Writes the model, and gives it and the labels their names.
  arrow::Status Commit(const std::string& model, RunState& state);

  FitJob job_;
  FitRequest request_;
  LabelOptions label_options_;
  JobPaths paths_;
  std::optional<arrow_io::StagedOutput> labels_;
  std::optional<arrow_io::StagedOutput> model_;
};

/// What a clean stands on.
struct CleanInputs {
  FitRun run;
  ScoreOptions options;
  nlohmann::json configuration;
};

/// Checks the options and paths of a job and lists its inputs.
arrow::Result<CleanInputs> PrepareClean(const CleanJob& job);

}  // namespace spuna
