#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "pipelines/jobs/review_run.h"
#include "pipelines/model/model.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// Reviews streams; ReviewStreams in jobs.h has the contract. Throws what the algorithms throw.
arrow::Result<ReviewReport> ReviewRows(arrow::RecordBatchReader* trusted,
                                       arrow::RecordBatchReader& pool, const ReviewJob& job,
                                       const Model* model, StageClock& clock);

}  // namespace spuna
