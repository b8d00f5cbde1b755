#pragma once

#include <arrow/status.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "pipelines/fit/fit_result.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/report/pool_pass.h"
#include "pipelines/run/job_report.h"
#include "pipelines/run/output_set.h"
#include "pipelines/run/run_state.h"
#include "pipelines/source/source.h"

namespace spuna {

/// What a job asks of a pass over its pool, but for outputs.
PoolPassOptions PassOptionsOf(const FindingsOptions& options);

/// Adds groups to the report of a job, and distance and kinds where there are `findings`.
void AddFindings(const FindingsOptions& options, const Findings* findings,
                 const PoolPassResult& pass, JobReport& report);

/// Why a run dropped what it dropped: its reasons, report and groups. Of rows that were scored with
/// a model from elsewhere it says less than of those that were fitted.
class Explanation {
 public:
  /// What a run has when it has scored its pool.
  struct Material {
    /// The files to explain: one at least, surveyed.
    const Source& pool;
    const Model& model;
    /// The fit on this very pool, with findings; null where there was none.
    const FitResult* fit = nullptr;
    const ScoreOptions& scoring;
    /// What a person said of its rows; null for nothing.
    const PlacedReviews* reviews = nullptr;
    /// Whether the output has more files than the pool: those that this run did not score.
    bool is_part = false;
  };

  explicit Explanation(FindingsOptions options) : options_(std::move(options)) {}

  /// Whether files of the pool, which was surveyed, have the columns that are asked for; of one
  /// that does not explain anything, the column of pictures alone. A file that lacks one is no bad
  /// file: the column is null there.
  arrow::Status CheckColumns(const Source& pool, bool explains) const;

  /// What is asked for, as the manifest of a run has it.
  nlohmann::json Describe() const;
  /// Whether a run with this manifest, null where there is none, has written all that is asked for.
  bool WasWritten(const nlohmann::json* manifest) const;

  /// Reserves the outputs. A file that exists may be replaced where `may_replace` says so, where a
  /// run was stopped while it gave the outputs their names (by its state, null where it has none),
  /// or where an earlier run wrote it (by its manifest, null where there is none).
  arrow::Status Stage(const RunState* state, bool may_replace, const nlohmann::json* manifest);

  /// Reads the pool once more, writes what is asked for, gives it its names, and adds to the job's
  /// report. `state` as in Stage.
  arrow::Status Write(const Material& material, RunState* state, JobReport& report,
                      StageClock& clock);

 private:
  FindingsOptions options_;
  OutputSet outputs_;
};

}  // namespace spuna
