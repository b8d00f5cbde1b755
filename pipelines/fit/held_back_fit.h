#pragma once

#include <cstdint>
#include <functional>

#include "pipelines/fit/fit_result.h"
#include "pipelines/matrix/fit_input.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// A fit on trusted rows and a pool. One of those that make up a calibrated fit may resume from a
/// checkpoint.
using FitFunction = std::function<FitResult(FitInput& trusted, FitInput& pool,
                                            const FitExtras& extras, bool resumes)>;

/// Leaves out what a result has about rows that were added to the end of a pool, `num_shifted` of
/// them known to be shifted and the others to be clean.
void DescribePoolAlone(const EmbeddingMatrix& pool, std::int64_t num_added,
                       std::int64_t num_shifted, FitResult& result);

/// Fits with some trusted rows, drawn by the seed, learned as pool rows. They and the clean rows of
/// the pool are then exchangeable, and their scores calibrate the model's. The pool has its own
/// rows again when this returns, and the result describes them alone.
///
/// Where rows belong to groups, by a column or as near copies of each other, `num_held_out` whole
/// groups are, and one row of each, drawn by the
/// seed, calibrates: that row and a row of a new group are exchangeable, rows of one group are not.
///
/// A held out row that was chosen for a review has a verdict, "clean". It is learned as pool rows
/// with a verdict are, and does not calibrate: like them it was chosen for its score.
FitResult FitWithSplit(const FitInput& trusted, FitInput& pool, std::int64_t num_held_out,
                       std::uint64_t seed, const FitExtras& extras, const FitFunction& fit,
                       StageClock& clock);

/// Fits with all trusted rows, and five times more with a fifth of them, or of the groups, learned
/// as pool rows.
FitResult FitWithCross(FitInput& trusted, FitInput& pool, std::uint64_t seed,
                       const FitExtras& extras, const FitFunction& fit, StageClock& clock);

}  // namespace spuna
