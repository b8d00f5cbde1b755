#pragma once

#include <nlohmann/json.hpp>

#include "pipelines/report/report_contents.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// The report as RenderReportPage takes it.
nlohmann::json MakeReport(const ReportContents& contents, StageClock& clock);

}  // namespace spuna
