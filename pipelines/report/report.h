#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <string>

#include "pipelines/fit/fit.h"
#include "pipelines/jobs/jobs.h"
#include "pipelines/report/pool_pass.h"
#include "pipelines/score/row_scorer.h"

namespace spuna {

/// What the report of a clean tells of.
struct ReportContents {
  const FitRequest& request;
  const FitResult& fit;
  const Examination& examination;
  RowCounts counts;
  Decision decision;
  std::vector<std::string> group_by;
  /// The columns of ids and of pictures (bytes, or paths to files); "" for none.
  std::string id;
  std::string image;
  const BadFiles& bad_files;
};

/// The report as RenderReportPage takes it. Reads the ids and pictures that it shows.
arrow::Result<nlohmann::json> MakeReport(const ReportContents& contents, StageClock& clock);

}  // namespace spuna
