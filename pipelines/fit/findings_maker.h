#pragma once

#include "pipelines/fit/fit_result.h"
#include "pipelines/matrix/fit_input.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// Finds out about a fit while its rows are in memory; the fit must have scored its pool. The
/// places of the pool's rows are left to the caller.
Findings MakeFindings(FitInput& trusted, FitInput& pool, const FitResult& fit, StageClock& clock);

}  // namespace spuna
