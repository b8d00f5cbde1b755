// Plain data: no source file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pipelines/fit/fit_result.h"
#include "pipelines/report/pool_pass.h"
#include "pipelines/run/decision.h"
#include "pipelines/run/job_report.h"
#include "pipelines/run/row_counts.h"

namespace spuna {

/// What the report of a clean is made of.
struct ReportContents {
  /// What the pool is called, and its files that could not be read.
  std::string pool_name;
  SkippedFiles skipped;
  const FitResult& fit;
  const Findings& findings;
  const PoolPassResult& pool_pass;
  RowCounts counts;
  Decision decision;
  std::vector<std::string> group_by;
  /// Of each stage up to now.
  std::map<std::string, double> seconds;
};

}  // namespace spuna
