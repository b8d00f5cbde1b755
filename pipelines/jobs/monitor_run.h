#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "pipelines/model/model.h"
#include "pipelines/monitor/monitor_report.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// Watches a batch; Run in jobs.h has the contract. Throws what the algorithms throw.
arrow::Result<MonitorReport> WatchBatch(const MonitorJob& job, StageClock& clock);

/// The same with a model in memory, on the job's files or, where it is not null, on a stream.
arrow::Result<MonitorReport> WatchBatch(const MonitorJob& job, const Model& model,
                                        arrow::RecordBatchReader* rows, StageClock& clock);

}  // namespace spuna
