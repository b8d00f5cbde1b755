// Reads a report as JSON from standard input and writes its page to standard output, for
// tests/report.
#include <iostream>
#include <nlohmann/json.hpp>

#include "pipelines/report/report_page.h"

int main() {
  std::cout << spuna::RenderReportPage(nlohmann::json::parse(std::cin));
  return std::cout.flush() ? 0 : 1;
}
