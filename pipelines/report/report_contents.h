// Plain data: no source file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/report/pool_pass.h"
#include "pipelines/run/decision.h"
#include "pipelines/run/job_report.h"

namespace spuna {

/// What the report of a clean, or of scoring alone, is made of.
struct ReportContents {
  /// What the pool is called, and its files that could not be read.
  std::string pool_name;
  SkippedFiles skipped;
  /// Of scoring alone there is no fit, and much is not said.
  PoolKnowledge known;
  const PoolPassResult& pool_pass;
  Decision decision;
  std::vector<std::string> group_by;
  /// Of each stage up to now.
  std::map<std::string, double> seconds;
  /// How many files it is about, where the output has others that this run did not score.
  std::optional<std::size_t> files_explained;
};

}  // namespace spuna
