#pragma once

#include <arrow/result.h>

#include "pipelines/options/job_descriptions.h"
#include "pipelines/run/job_plan.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// What jobs would do; Plan in jobs.h has the contract. Throws what the algorithms throw.
arrow::Result<JobPlan> PlanFit(const FitJob& job, StageClock& clock);
arrow::Result<JobPlan> PlanScore(const ScoreJob& job, StageClock& clock);
arrow::Result<JobPlan> PlanClean(const CleanJob& job, StageClock& clock);

}  // namespace spuna
