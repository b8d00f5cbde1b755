// Reads a report, or with the argument `review` a review, as JSON from standard input and writes
// its page to standard output, for tests/report.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "pipelines/report/report_page.h"
#include "pipelines/review/review_page.h"

int main(int argc, char** argv) {
  const bool is_review = argc > 1 && std::string_view(argv[1]) == "review";
  const nlohmann::json contents = nlohmann::json::parse(std::cin);
  std::cout << (is_review ? spuna::RenderReviewPage(contents) : spuna::RenderReportPage(contents));
  return std::cout.flush() ? 0 : 1;
}
