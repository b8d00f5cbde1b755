#pragma once

#include <arrow/result.h>

#include "algorithms/expansion/expansion.h"
#include "algorithms/recipe/checkpoint.h"
#include "pipelines/fit/fit_result.h"
#include "pipelines/matrix/fit_input.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// What can be said against a fit on these rows before it starts.
arrow::Status CheckFitInputs(const FitInput& trusted, const FitInput& pool,
                             const FitOptions& options);

/// What the options leave open, for rows of these numbers.
FitChoices ChooseFor(const FitInput& trusted, const FitInput& pool, const FitOptions& options);

/// A fit on rows as they are given, without calibration and decision. Rows beyond the limits that
/// the trusted rows set are clipped while it runs. Throws what the algorithms throw. `checkpoint`
/// may be null.
FitResult FitWithoutDecision(FitInput& trusted, FitInput& pool, const FitOptions& options,
                             const FitExtras& extras, StageClock& clock,
                             algorithms::Checkpoint* checkpoint);

/// The first part of a fit: the labels of the pool's valid rows.
arrow::Result<algorithms::Expansion> Expand(FitInput trusted, FitInput pool,
                                            const FitOptions& options, StageClock& clock);

/// Its last part: a model from the labels of the pool's valid rows.
arrow::Result<Model> Distill(FitInput trusted, FitInput pool,
                             const algorithms::Expansion& expansion, const FitOptions& options,
                             StageClock& clock);

}  // namespace spuna
