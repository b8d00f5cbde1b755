// Its source is written by cmake/EmbedFiles.cmake.
#pragma once

#include <string_view>

namespace spuna {

// What all pages share, compiled in by cmake/EmbedFiles.cmake: colors and type, and making
// elements.
extern const std::string_view kPageStyle;
extern const std::string_view kPageElements;

// The files that a report's page is made of besides.
extern const std::string_view kReportTemplate;
extern const std::string_view kReportStyle;
extern const std::string_view kChartLibrary;
extern const std::string_view kReportDrawing;
extern const std::string_view kReportCharts;
extern const std::string_view kReportScript;

}  // namespace spuna
