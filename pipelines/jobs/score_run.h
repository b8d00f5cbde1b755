#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>

#include "pipelines/jobs/scoring.h"
#include "pipelines/model/model.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/report/explanation.h"

namespace spuna {

/// Scores files with a fitted model. `plan` is the same, stopped after the survey. The steps are
/// called in the order in which they stand here.
class ScoreRun {
 public:
  /// Checks the options and paths of a job on files, lists its input and loads its model.
  static arrow::Result<ScoreRun> Prepare(const ScoreJob& job);

  const Source& input() const { return input_; }
  const Model& model() const { return model_; }
  ScoreOutputs::Targets targets() const {
    return {job_.output,   job_.dropped, job_.options.overwrite,
            "--overwrite", job_.verify,  job_.prune};
  }
  const nlohmann::json& configuration() const { return configuration_; }

  /// Takes directories, and leaves the files of the input alone that are unchanged since an earlier
  /// run; files are left to Stage.
  arrow::Result<Scoring> Open(StageClock& clock);

  /// Whether an earlier run has done it all.
  bool IsDone(const Scoring& scoring) const;

  /// Reserves files, those of reasons and report too.
  arrow::Status Stage(Scoring& scoring);

  /// Reads the footers of the input.
  arrow::Status Survey(const Runtime& runtime);

  /// Scores into the outputs that were taken, and explains what was dropped.
  arrow::Result<JobReport> Execute(Scoring& scoring, StageClock& clock);

 private:
  ScoreRun(ScoreJob job, Source input, Model model)
      : job_(std::move(job)),
        explanation_(job_),
        input_(std::move(input)),
        model_(std::move(model)) {}

  // That of the output directory; null beside an output file.
  static RunState* StateIn(Scoring& scoring) {
    return scoring.directory() == nullptr ? nullptr : &scoring.directory()->state();
  }

  ScoreJob job_;
  Explanation explanation_;
  Source input_;
  Model model_;
  // Whether nothing is to be scored, so that findings are of all files.
  bool explains_all_ = false;
  nlohmann::json configuration_;
};

}  // namespace spuna
