// Plain data: no source file.
#pragma once

#include <string>
#include <vector>

#include "pipelines/fit/file_fit.h"
#include "pipelines/fit/fit_result.h"
#include "pipelines/report/pool_pass.h"
#include "pipelines/run/decision.h"
#include "pipelines/run/row_counts.h"

namespace spuna {

/// What the report of a clean is made of.
struct ReportContents {
  const FitRequest& request;
  const FitResult& fit;
  const Findings& findings;
  const PoolPassResult& pool_pass;
  RowCounts counts;
  Decision decision;
  std::vector<std::string> group_by;
};

}  // namespace spuna
