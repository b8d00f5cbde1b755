#include "pipelines/fit/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "pipelines/source/file_survey.h"

namespace spuna {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// The first number in a file, in bytes; infinite when there is none, as in "max".
double NumberIn(const char* path) {
  std::ifstream file(path);
  double number = 0;
  return file >> number ? number : kUnlimited;
}

// What a file of lines like "VmHWM: 5124 kB" says of a name, in bytes; infinite when nothing.
double BytesIn(const char* path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string found;
    double kibibytes = 0;
    if (words >> found >> kibibytes && found == name) return kibibytes * 1024;
  }
  return kUnlimited;
}

double AvailableToGroup() {
  const double limit = NumberIn("/sys/fs/cgroup/memory.max");
  if (limit == kUnlimited) return kUnlimited;
  const double used = NumberIn("/sys/fs/cgroup/memory.current");
  return used == kUnlimited ? kUnlimited : std::max(limit - used, 0.0);
}

double AvailableToProcess() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  // The first number is the size of the address space in pages.
  const double pages = NumberIn("/proc/self/statm");
  if (pages == kUnlimited) return kUnlimited;
  const double used = pages * static_cast<double>(sysconf(_SC_PAGESIZE));
  return std::max(static_cast<double>(limit.rlim_cur) - used, 0.0);
}

std::string Megabytes(double bytes) {
  return std::to_string(static_cast<std::int64_t>(std::ceil(bytes / 1e6))) + " MB";
}

}  // namespace

double EstimateFitMemory(const FitShape& shape) {
  const double row = static_cast<double>(shape.dimension) * sizeof(float);
  const double trusted = static_cast<double>(shape.rows_trusted) * row;
  const double pool = static_cast<double>(shape.rows_pool) * row;
  const double lists =
      2.0 * static_cast<double>(shape.rows_pool) * static_cast<double>(shape.k) * sizeof(double);
  // The rows and one working copy; or, of many trusted rows, the rows and the float64 copies that
  // two folds are whitened by.
  return std::max(2.3 * (trusted + pool), trusted + pool + 6.4 * trusted) + lists + 150e6;
}

double FreeMemory() {
  return std::min(
      {BytesIn("/proc/meminfo", "MemAvailable:"), AvailableToGroup(), AvailableToProcess()});
}

std::int64_t PeakMemoryBytes() {
  // Linux counts in rusage what the process that started this one had; here it does not.
  const double peak = BytesIn("/proc/self/status", "VmHWM:");
  if (peak != kUnlimited) return static_cast<std::int64_t>(peak);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

arrow::Status CheckFitMemory(const FitShape& shape, double free) {
  const double needed = EstimateFitMemory(shape);
  if (needed <= free) return arrow::Status::OK();
  return arrow::Status::OutOfMemory(
      "fitting ", shape.rows_trusted, " trusted and ", shape.rows_pool, " pool rows of dimension ",
      shape.dimension, " takes up to ", Megabytes(needed), " of memory but ", Megabytes(free),
      " are free; fit on fewer rows with `--fit-rows`, or go on with `--force`");
}

arrow::Result<FitShape> MeasureFit(const FitRequest& request, const Runtime& runtime) {
  BadFiles none(OnBadFile::kError);
  ARROW_ASSIGN_OR_RAISE(const std::string column,
                        ResolveEmbeddingColumn(request.trusted, request.options.embedding, ""));
  ARROW_ASSIGN_OR_RAISE(const FileSurvey trusted,
                        SurveyFiles(request.trusted, column, {}, none, runtime));
  FitShape shape;
  shape.dimension = trusted.dimension;
  shape.rows_trusted = trusted.total_rows;
  shape.rows_pool = request.IsSampled() ? request.options.fit_rows : request.pool_survey.total_rows;
  shape.k = request.options.Choose(shape.rows_trusted, shape.rows_pool, shape.dimension).k;
  return shape;
}

}  // namespace spuna
