// Fits a model on the files given, through the installed headers and libraries.
#include <iostream>
#include <nlohmann/json.hpp>

#include "pipelines/jobs/jobs.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  spuna::FitJob job;
  job.trusted = {argv[1]};
  job.pool = {argv[2]};
  job.model = argv[3];
  job.options.epochs = 1;
  const auto report = spuna::Run(job, {});
  if (!report.ok()) {
    std::cerr << report.status().message() << "\n";
    return 1;
  }
  std::cout << spuna::ToJson(*report)["rows_pool"] << "\n";
  return 0;
}
