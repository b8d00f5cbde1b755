#include "pipelines/report/report_page.h"

#include <nlohmann/json.hpp>

#include "pipelines/report/page_template.h"
#include "pipelines/report/report_files_internal.h"

namespace spuna {

std::string RenderReportPage(const nlohmann::json& report) {
  const std::string data = ScriptSafeJson(report);
  const PagePart parts[] = {
      {"{{page_style}}", kPageStyle},
      {"{{style}}", kReportStyle},
      {"{{data}}", data},
      {"{{library}}", kChartLibrary},
      {"{{elements}}", kPageElements},
      {"{{drawing}}", kReportDrawing},
      {"{{charts}}", kReportCharts},
      {"{{script}}", kReportScript},
  };
  return FillTemplate(kReportTemplate, parts);
}

}  // namespace spuna
