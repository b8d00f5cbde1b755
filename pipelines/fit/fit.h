#pragma once

#include <arrow/result.h>

#include "algorithms/recipe/checkpoint.h"
#include "pipelines/fit/fit_result.h"
#include "pipelines/matrix/fit_input.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// Fits a model on rows in memory: expands the labels, distills them, decides. Equal rows in equal
/// order, equal options and an equal seed give an equal model, whatever the threads. The model
/// names the pool's column. `checkpoint` may be null.
arrow::Result<FitResult> Fit(FitInput trusted, FitInput pool, const FitOptions& options,
                             const FitExtras& extras, StageClock& clock,
                             algorithms::Checkpoint* checkpoint = nullptr);

}  // namespace spuna
