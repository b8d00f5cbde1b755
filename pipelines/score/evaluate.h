#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <string>

#include "pipelines/run/job_report.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/source.h"

namespace spuna {

/// Compares a column of scores with a column of truth (boolean or 0/1; true is shifted). Either may
/// be a key of the input's hive partitions.
arrow::Result<Evaluation> Evaluate(const Source& input, const std::string& truth,
                                   const std::string& score, const Runtime& runtime);

/// The same for a stream, which is read to its end.
arrow::Result<Evaluation> Evaluate(arrow::RecordBatchReader& input, const std::string& truth,
                                   const std::string& score, const Runtime& runtime);

}  // namespace spuna
