#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "pipelines/model/model.h"
#include "pipelines/options/options.h"
#include "pipelines/run/job_report.h"
#include "pipelines/score/score_outputs.h"

namespace spuna {

/// The half of a run that scores, which scoring and cleaning share: takes the outputs, fills them,
/// and ends them with a manifest. The steps are called in the order in which they stand here.
class Scoring {
 public:
  /// Takes directories; files are left to Stage.
  static arrow::Result<Scoring> Open(const Source& source, const ScoreOutputs::Targets& targets,
                                     ScoreOptions options, nlohmann::json configuration);

  /// The report of an earlier run of the same command that has done it all.
  std::optional<JobReport> Finished(StageClock& clock) const;

  /// The output and the state of a run into directories; null for files.
  OutputDirectory* directory() { return outputs_.directory(); }

  /// Reserves files. `state` is the one beside them, null where there is none.
  arrow::Status Stage(const RunState* state) { return outputs_.Stage(state); }

  /// Scores a source that was surveyed.
  arrow::Result<JobReport::Score> Score(const Source& source, const Model& model,
                                        StageClock& clock);

  /// Gives the outputs their names. `state` as in Stage.
  arrow::Status Finish(const Source& source, const Model& model, RunState* state,
                       StageClock& clock);

 private:
  Scoring(ScoreOutputs outputs, ScoreOptions options, nlohmann::json configuration)
      : outputs_(std::move(outputs)),
        options_(std::move(options)),
        configuration_(std::move(configuration)) {}

  nlohmann::json MakeManifest(const Source& source, const Model& model, StageClock& clock) const;

  ScoreOutputs outputs_;
  ScoreOptions options_;
  nlohmann::json configuration_;
  Decision decision_;
  LakeRecord lake_;
};

/// Adds to a report what every run has.
void Complete(const Source& source, StageClock& clock, JobReport& report);

}  // namespace spuna
