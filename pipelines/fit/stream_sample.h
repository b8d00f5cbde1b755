#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <vector>

#include "pipelines/fit/fit_input.h"
#include "pipelines/options/options.h"

namespace spuna {

/// Takes in a pool of any number of rows and holds those with the smallest hashes of (seed, row
/// number), at most twice as many as the fit will see.
class StreamSample {
 public:
  /// Both must outlive it. An error where the options ask for what a stream can't give.
  static arrow::Result<StreamSample> Make(FitInput& input, const FitOptions& options);

  /// Adds the rows of a batch that has the column.
  arrow::Status Append(const arrow::RecordBatch& batch);

  /// Leaves in the input what the fit is to see.
  void Finish();

  std::int64_t num_rows() const { return num_rows_; }
  bool IsSampled() const { return options_->fit_rows > 0 && num_rows_ > options_->fit_rows; }

  /// One byte for every row that came: whether the input holds it, and it is valid.
  std::vector<std::uint8_t> AmongAllRows(const std::vector<std::uint8_t>& valid_in_sample) const;

  /// The numbers of the rows that the input holds.
  const std::vector<std::int64_t>& held() const { return held_; }

 private:
  StreamSample(FitInput& input, const FitOptions& options) : input_(&input), options_(&options) {}
  void Shrink();

  FitInput* input_;
  const FitOptions* options_;
  std::int64_t num_rows_ = 0;
  std::vector<std::int64_t> held_;
};

}  // namespace spuna
