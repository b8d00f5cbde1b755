#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <string>

#include "pipelines/fit/fit_result.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/reviewed_rows.h"

namespace spuna {

/// What messages call the two streams of a fit.
inline constexpr const char* kTrustedStream = "the stream of trusted rows";
inline constexpr const char* kPoolStream = "the stream of pool rows";

/// How to fit on streams.
struct StreamFitRequest {
  FitOptions options;
  FitExtras extras;
  /// The column of the pool's ids, for findings; empty chooses as ResolveIdColumn does.
  std::string id;
  /// What a person said of rows.
  ReviewedRows reviewed = {};
};

/// Fits on two streams of record batches, read to their end. A pool of more than `fit_rows` rows is
/// sampled. `pool_batches`, which may be null, gets the batches of the pool.
arrow::Result<FitResult> FitStreams(arrow::RecordBatchReader& trusted,
                                    arrow::RecordBatchReader& pool, const StreamFitRequest& request,
                                    StageClock& clock,
                                    arrow::RecordBatchVector* pool_batches = nullptr);

}  // namespace spuna
