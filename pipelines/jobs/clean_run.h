#pragma once

#include <arrow/result.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "pipelines/jobs/clean_result.h"
#include "pipelines/jobs/fit_run.h"
#include "pipelines/jobs/scoring.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/report/explanation.h"

namespace spuna {

/// Fits on a pool, scores it, and explains what was dropped. `plan` is the same, stopped after the
/// survey; a call that writes nothing has no outputs and ends with CleanInMemory. The steps are
/// called in the order in which they stand here.
class CleanRun {
 public:
  /// Checks the options and paths of a job and lists its inputs.
  static arrow::Result<CleanRun> Prepare(CleanJob job);

  const CleanJob& job() const { return job_; }
  const FitRequest& request() const { return fit_.request(); }
  const ScoreOptions& scoring_options() const { return scoring_options_; }
  ScoreOutputs::Targets targets() const {
    return {job_.output, job_.dropped, job_.fit.overwrite, "--refit", job_.verify, job_.prune};
  }
  const nlohmann::json& configuration() const { return configuration_; }
  /// The model of an earlier run that new files are scored with; null where the run fits. From Open
  /// on.
  const Model* kept_model() const { return kept_ ? &kept_->model : nullptr; }
  /// Where the state beside an output file is.
  RunState::Place StatePlace() const { return {StateBeside(job_.output), job_.output, "out"}; }

  /// Takes the outputs, and finds out what is to be done. The report of an earlier run where that
  /// has done it all.
  arrow::Result<std::optional<JobReport>> Open(StageClock& clock);

  /// Marks the output of an earlier run that has done it all.
  arrow::Status MarkSuccess() const { return scoring_->MarkSuccess(); }

  /// Reads the footers, and finds out what can't be done before the work.
  arrow::Status Survey(const Runtime& runtime);

  /// What is left of a run without outputs, after the survey.
  arrow::Result<std::shared_ptr<const CleanResult>> CleanInMemory(StageClock& clock) &&;

  /// Fits, writes labels and model; or takes the model of an earlier run.
  arrow::Status Fit(StageClock& clock);
  /// Scores the pool.
  arrow::Status Score(StageClock& clock);
  /// Writes reasons and report, counts groups.
  arrow::Status Explain(StageClock& clock);
  /// Holds files that came after the fit against the model.
  arrow::Status Watch(StageClock& clock);
  /// Gives the outputs their names.
  arrow::Result<JobReport> Finish(StageClock& clock);

 private:
  CleanRun(CleanJob job, FitRun fit)
      : job_(std::move(job)),
        scoring_options_(job_.Scoring()),
        fit_(std::move(fit)),
        explanation_(job_) {}

  bool IsInMemory() const { return job_.output.empty(); }
  bool NeedsFindings() const { return job_.NeedsPoolPass() || IsInMemory(); }

  // Chooses between a fit and the model of an earlier run, and leaves files alone that the run has
  // no business with.
  arrow::Status ChooseModel();

  // That of the output directory, or beside an output file.
  RunState& state() { return state_beside_ ? *state_beside_ : scoring_->directory()->state(); }

  CleanJob job_;
  ScoreOptions scoring_options_;
  FitRun fit_;
  Explanation explanation_;
  nlohmann::json configuration_;
  std::unique_ptr<Scoring> scoring_;
  std::unique_ptr<RunState> state_beside_;
  // Where the run does not fit.
  std::optional<FitRun::KeptModel> kept_;
  // Whether nothing is to be scored, so that findings are of all files.
  bool explains_all_ = false;
  FitResult fitted_;
  nlohmann::json watch_;
  JobReport report_;
};

}  // namespace spuna
