#pragma once

#include <arrow/result.h>

#include <optional>

#include "arrow_io/parquet_input.h"
#include "arrow_io/staged_output.h"
#include "pipelines/fit/fit.h"
#include "pipelines/jobs/jobs.h"
#include "pipelines/run/run_state.h"
#include "pipelines/source/bad_files.h"

namespace spuna {

/// The reasons and the report of a clean.
class CleanFindings {
 public:
  /// What a clean has when it has scored its pool.
  struct Material {
    const FitRequest& request;
    const FitResult& fit;
    const ScoreOptions& scoring;
    const BadFiles& bad_files;
  };

  /// Reserves the outputs. The job must outlive it.
  static arrow::Result<CleanFindings> Stage(const CleanJob& job, const RunState& state);

  /// Whether a file of the pool has the columns that are asked for.
  arrow::Status Check(const arrow_io::ParquetInput& file) const;

  /// Looks at the pool once more, writes what is asked for, and adds to the job's report.
  arrow::Status Write(const Material& material, RunState& state, JobReport& report,
                      StageClock& clock);

 private:
  explicit CleanFindings(const CleanJob& job) : job_(&job) {}

  const CleanJob* job_;
  std::optional<arrow_io::StagedOutput> reasons_;
  std::optional<arrow_io::StagedOutput> page_;
};

}  // namespace spuna
