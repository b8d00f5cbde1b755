#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

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

  /// Lets what a person said of rows decide about them. It must outlive this; null for nothing.
  void DecideBy(const PlacedReviews* reviews) { outputs_.DecideBy(reviews); }

  /// Holds the input against the directories, where there are any.
  arrow::Status Compare(const Source& source, StageClock& clock);

  /// Whether an earlier run of the same command has done it all.
  bool IsUpToDate() const { return outputs_.IsUpToDate(); }
  /// Marks its output again where it has lost its mark.
  arrow::Status MarkSuccess() const { return outputs_.MarkSuccess(); }
  /// The report of such a run.
  arrow::Result<JobReport> ReportUpToDate(const Source& source, StageClock& clock) const;

  /// The manifest of an earlier run that has finished here; null where there is none.
  const nlohmann::json* manifest() const;
  /// Whether this run adds to what an earlier one has finished.
  bool IsUpdate() const { return manifest() != nullptr; }
  /// By number, which files of the input are unchanged; empty for files.
  std::vector<bool> UnchangedFiles(const Source& source) const;

  /// The output and the state of a run into directories; null for files.
  OutputDirectory* directory() { return outputs_.directory(); }

  /// Reserves files. `state` is the one beside them, null where there is none.
  arrow::Status Stage(const RunState* state) { return outputs_.Stage(state); }

  /// Scores a source that was surveyed. `after_fit` says whether its files come after the model's
  /// fit.
  arrow::Result<JobReport::Score> Score(const Source& source, const Model& model, bool after_fit,
                                        StageClock& clock);

  /// What the run has done to the directories; none for files.
  std::optional<JobReport::Update> DescribeUpdate() const;

  /// Holds the files that are new or changed since the earlier run against the model. Leaves all
  /// others alone from then on.
  /// The report says what follows; the result is for the manifest, null where there was no earlier
  /// run.
  arrow::Result<nlohmann::json> Watch(Source& source, const Model& model, JobReport& report,
                                      StageClock& clock) const;

  /// Gives the outputs their names. `state` as in Stage. The manifest gets `lineage` too.
  arrow::Status Finish(const Source& source, const Model& model, const nlohmann::json& lineage,
                       RunState* state, StageClock& clock);

 private:
  Scoring(ScoreOutputs outputs, ScoreOptions options, nlohmann::json configuration)
      : outputs_(std::move(outputs)),
        options_(std::move(options)),
        configuration_(std::move(configuration)) {}

  nlohmann::json MakeManifest(const Source& source, const Model& model,
                              const nlohmann::json& lineage, StageClock& clock) const;
  // Whether the files lie where they lay when the output was written.
  arrow::Status CheckRoot(const Source& source) const;
  // Whether every listed file is accounted for, and its outputs are there.
  arrow::Status CheckComplete() const;

  ScoreOutputs outputs_;
  ScoreOptions options_;
  nlohmann::json configuration_;
  Decision decision_;
  LakeOutcome outcome_;
};

/// Adds to a report what every run has.
void Complete(const Source& source, StageClock& clock, JobReport& report);

}  // namespace spuna
