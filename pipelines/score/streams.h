#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>

#include "pipelines/fit/fit_result.h"
#include "pipelines/model/model.h"
#include "pipelines/options/options.h"
#include "pipelines/run/row_counts.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// Fits on two streams of record batches, read to their end.
arrow::Result<FitResult> FitStreams(arrow::RecordBatchReader& trusted,
                                    arrow::RecordBatchReader& pool, const FitOptions& options,
                                    const FitExtras& extras, StageClock& clock);

/// A stream of the input's rows with our columns appended: batch by batch, in order, scored as they
/// are asked for. Columns and metadata stay as they are. The model is kept alive; `runtime` is
/// copied. `counts`, where given, is kept up to date and must outlive the stream.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ScoreStream(
    std::shared_ptr<arrow::RecordBatchReader> input, std::shared_ptr<const Model> model,
    const ScoreOptions& options, const Runtime& runtime, RowCounts* counts = nullptr);

/// Whether the columns that scoring appends are new to these.
arrow::Status CheckScoredColumns(const arrow::Schema& schema, const ScoreOptions& options);

/// A pool that was fitted on and waits to be scored.
struct CleanedStream {
  std::shared_ptr<const Model> model;
  std::shared_ptr<arrow::RecordBatchReader> rows;
};

/// Fits on two streams, holding the pool's batches, then scores those as they are asked for.
arrow::Result<CleanedStream> CleanStreams(arrow::RecordBatchReader& trusted,
                                          arrow::RecordBatchReader& pool,
                                          const FitOptions& fit_options, const FitExtras& extras,
                                          const ScoreOptions& score_options, StageClock& clock);

}  // namespace spuna
