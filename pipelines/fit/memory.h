#pragma once

#include <arrow/result.h>

#include <cstdint>

#include "pipelines/fit/fit.h"

namespace spuna {

/// The size of a fit.
struct FitShape {
  std::int64_t rows_trusted = 0;
  std::int64_t rows_pool = 0;
  std::int64_t dimension = 0;
  std::int64_t k = 0;
};

/// The most memory, in bytes, that a fit of this size takes. docs/performance.md explains it.
double EstimateFitMemory(const FitShape& shape);

/// The memory, in bytes, that this process may still take: what the system calls available, its
/// control group's and its own limit. Infinite where nobody says.
double FreeMemory();

/// The most memory that this process has held at a time.
std::int64_t PeakMemoryBytes();

/// An error that says what to do when a fit of this size would need more than `free` bytes.
arrow::Status CheckFitMemory(const FitShape& shape, double free);

/// The size of a fit on files, from their footers. The dimension is 0 where the first file does not
/// tell it. The pool must have been surveyed.
arrow::Result<FitShape> MeasureFit(const FitRequest& request, const Runtime& runtime);

}  // namespace spuna
