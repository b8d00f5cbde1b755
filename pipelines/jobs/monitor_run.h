#pragma once

#include <arrow/result.h>

#include "pipelines/monitor/monitor_report.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// Watches a batch; Run in jobs.h has the contract. Throws what the algorithms throw.
arrow::Result<MonitorReport> WatchBatch(const MonitorJob& job, StageClock& clock);

}  // namespace spuna
