#include "pipelines/fit/fit_memory.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace spuna {
namespace {

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

arrow::Status CheckFitMemory(const FitShape& shape, double free) {
  const double needed = EstimateFitMemory(shape);
  if (needed <= free) return arrow::Status::OK();
  return arrow::Status::OutOfMemory(
      "fitting ", shape.rows_trusted, " trusted and ", shape.rows_pool, " pool rows of dimension ",
      shape.dimension, " takes up to ", Megabytes(needed), " of memory but ", Megabytes(free),
      " are free; fit on fewer rows with `--fit-rows`, or go on with `--force`");
}

}  // namespace spuna
