#pragma once

#include <arrow/result.h>

#include "pipelines/options/job_descriptions.h"
#include "pipelines/run/job_report.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// Whether a job reads standard input or writes standard output.
bool UsesStandardStreams(const ScoreJob& job);

/// Runs such a job: rows as an Arrow IPC stream.
arrow::Result<JobReport> ScoreStandardStreams(const ScoreJob& job, StageClock& clock);

}  // namespace spuna
