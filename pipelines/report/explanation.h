#pragma once

#include <arrow/status.h>

#include <utility>

#include "arrow_io/parquet_input.h"
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
    /// Whether the output has more files than the pool: those that this run did not score.
    bool is_part = false;
  };

  explicit Explanation(FindingsOptions options) : options_(std::move(options)) {}

  /// Whether a file of the pool has the columns that are asked for.
  arrow::Status Check(const arrow_io::ParquetInput& file) const;

  /// Whether the column of pictures that was named, used or not, can hold some.
  arrow::Status CheckPictures(const Source& pool) const;

  /// Reserves the outputs. Files that exist `may_replace` says to be replaceable, or the state of
  /// a run that was stopped while it gave them their names. It is null where a run has none.
  arrow::Status Stage(const RunState* state, bool may_replace);

  /// Reads the pool once more, writes what is asked for, gives it its names, and adds to the job's
  /// report. `state` as in Stage.
  arrow::Status Write(const Material& material, RunState* state, JobReport& report,
                      StageClock& clock);

 private:
  FindingsOptions options_;
  OutputSet outputs_;
};

}  // namespace spuna
