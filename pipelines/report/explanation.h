#pragma once

#include <arrow/status.h>

#include "pipelines/fit/file_fit.h"
#include "pipelines/fit/fit_result.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/report/pool_pass.h"
#include "pipelines/run/job_report.h"
#include "pipelines/run/output_set.h"
#include "pipelines/run/run_state.h"
#include "pipelines/source/source.h"

namespace spuna {

/// What a clean asks of a pass over its pool, but for outputs.
PoolPassOptions PassOptionsOf(const CleanJob& job);

/// Adds groups, distance and kinds to the report of a clean.
void AddFindings(const CleanJob& job, const Findings& findings, const PoolPassResult& pass,
                 JobReport& report);

/// Why a clean dropped what it dropped: its reasons, report and groups.
class Explanation {
 public:
  /// What a clean has when it has scored its pool.
  struct Material {
    const FitRequest& request;
    const FitResult& fit;
    const ScoreOptions& scoring;
  };

  explicit Explanation(const CleanJob& job);

  /// Whether files of the pool, which was surveyed, have the columns that are asked for; of one
  /// that does not explain anything, the column of pictures alone. A file that lacks one is no bad
  /// file: the column is null there.
  arrow::Status CheckColumns(const Source& pool, bool explains) const;

  /// Reserves the outputs.
  arrow::Status Stage(const RunState& state);

  /// Reads the pool once more, writes what is asked for, and adds to the job's report.
  arrow::Status Write(const Material& material, RunState& state, JobReport& report,
                      StageClock& clock);

 private:
  CleanJob job_;
  OutputSet outputs_;
};

}  // namespace spuna
