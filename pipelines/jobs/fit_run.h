#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pipelines/fit/file_fit.h"
#include "pipelines/model/model.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/run/job_paths.h"
#include "pipelines/run/job_report.h"
#include "pipelines/run/output_set.h"
#include "pipelines/run/run_state.h"
#include "pipelines/score/label_output.h"

namespace spuna {

/// Lists the inputs of a job, whose options must be valid.
arrow::Result<FitRequest> MakeFitRequest(const FitJob& job);

/// What became of the verdicts of a request; none where there were none.
std::optional<JobReport::Review> DescribeReview(const FitRequest& request, bool is_learned);

/// The part that fitting and cleaning share: lists the inputs, fits, and writes labels and model.
/// The steps are called in the order in which they stand here.
class FitRun {
 public:
  /// Checks the options of the fit and the paths of a job, and lists its inputs.
  static arrow::Result<FitRun> Prepare(FitJob job);

  JobPaths& paths() { return paths_; }
  Source& pool() { return request_.pool; }
  const FitRequest& request() const { return request_; }
  const FitJob& job() const { return job_; }
  FitRequest TakeRequest() && { return std::move(request_); }

  /// What the inputs are, for the configuration of a run whose output is not added to later.
  nlohmann::json DescribeInputs() const;
  /// What of the inputs may never change as long as an output is added to: the trusted rows.
  arrow::Result<nlohmann::json> DescribeTrusted() const;
  /// The configuration of a fit alone, and where its state is: beside the model or the labels.
  nlohmann::json Configuration() const;
  RunState::Place StatePlace() const;

  /// Asks for findings; with ids where something shows them, from the pool's column.
  void WantFindings(bool with_ids, const std::string& id);

  /// Reserves the outputs.
  arrow::Status Stage(const RunState& state);

  /// Reads the footers, and finds out what the fit can't do before the work. `check` is called with
  /// the pool's files.
  arrow::Status Survey(const Source::FileCheck& check, const Runtime& runtime);

  /// A model that an earlier run has left in a state, and what is known of its fit: `hash`, `at`
  /// and `pool`.
  struct KeptModel {
    Model model;
    nlohmann::json lineage;
  };
  /// The model of a run that has finished with this manifest, which may be null, or was stopped
  /// after its fit; none where there is none that can be used.
  static std::optional<KeptModel> FindModel(const RunState& state, const nlohmann::json* manifest);

  /// Whether a model was fitted on the pool as it is now.
  bool IsOfThisPool(const KeptModel& kept) const;

  /// Whether a person said something of rows, and whether a model with this lineage has learned
  /// just that.
  bool HasReviews() const { return !request_.reviewed.rows.empty(); }
  bool HasLearned(const nlohmann::json& lineage) const;

  /// Finds the reviewed rows in the pool. To be called where that is needed before Survey.
  arrow::Status PlaceReviews(const Runtime& runtime);

  /// Fits, and writes the labels and the model where they are asked for. What an earlier run has
  /// finished is taken from the state: the whole of a fit without findings, of which only the model
  /// is then there, else its last round.
  arrow::Result<FitResult> Execute(RunState& state, StageClock& clock);

  /// Writes the model of an earlier run where it is asked for and missing.
  arrow::Status WriteKept(const KeptModel& kept) const;

  /// What is known of the fit that was executed, as KeptModel has it.
  const nlohmann::json& lineage() const { return lineage_; }

 private:
  FitRun(FitJob job, FitRequest request) : job_(std::move(job)), request_(std::move(request)) {}

  // The model of an earlier run that was stopped after its fit; none where there is none to use.
  arrow::Result<std::optional<FitResult>> TakeFinished(RunState& state);
  // Writes the model, and gives it and the labels their names.
  arrow::Status Commit(const std::string& model, RunState& state);

  FitJob job_;
  FitRequest request_;
  LabelOptions label_options_;
  JobPaths paths_;
  OutputSet outputs_;
  nlohmann::json lineage_;
};

}  // namespace spuna
