#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>

#include "pipelines/jobs/clean_result.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// Cleans streams; CleanStreams in jobs.h has the contract. Throws what the algorithms throw.
arrow::Result<std::shared_ptr<const CleanResult>> CleanRows(arrow::RecordBatchReader& trusted,
                                                            arrow::RecordBatchReader& pool,
                                                            const OpenRows& reopen,
                                                            const CleanJob& job, StageClock& clock);

}  // namespace spuna
