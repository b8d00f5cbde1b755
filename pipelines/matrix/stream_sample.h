#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <vector>

#include "pipelines/fit/fit.h"
#include "pipelines/options/options.h"

namespace spuna {

/// Takes in a pool of any number of rows and holds those with the smallest hashes of (seed, row
/// number), at most twice as many as the fit will see.
class StreamSample {
 public:
  /// The input must outlive it.
  StreamSample(FitInput& input, const FitOptions& options) : input_(input), options_(options) {}

  /// Adds the rows of a batch that has the column.
  arrow::Status Append(const arrow::RecordBatch& batch);

  /// Leaves in the input what the fit is to see.
  void Finish();

  std::int64_t num_rows() const { return num_rows_; }
  bool IsSampled() const { return options_.fit_rows > 0 && num_rows_ > options_.fit_rows; }

 private:
  void Shrink();

  FitInput& input_;
  const FitOptions& options_;
  std::int64_t num_rows_ = 0;
  // The numbers of the rows that the input holds.
  std::vector<std::int64_t> held_;
};

}  // namespace spuna
