#pragma once

#include <nlohmann/json.hpp>

#include "pipelines/report/report_contents.h"

namespace spuna {

/// The report as RenderReportPage takes it.
nlohmann::json MakeReport(const ReportContents& contents);

}  // namespace spuna
