#pragma once

#include <arrow/status.h>

#include <cstdint>

namespace spuna {

/// The size of a fit.
struct FitShape {
  std::int64_t rows_trusted = 0;
  std::int64_t rows_pool = 0;
  /// 0 where the inputs' first files don't tell it.
  std::int64_t dimension = 0;
  std::int64_t k = 0;
};

/// The most memory, in bytes, that a fit of this size takes. docs/performance.md explains it.
double EstimateFitMemory(const FitShape& shape);

/// An error that says what to do when a fit of this size would need more than `free` bytes.
arrow::Status CheckFitMemory(const FitShape& shape, double free);

}  // namespace spuna
