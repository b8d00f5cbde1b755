#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "pipelines/fit/stream_texts.h"
#include "pipelines/matrix/fit_input.h"
#include "pipelines/options/options.h"
#include "pipelines/source/row_sample.h"

namespace spuna {

/// Takes in a pool of any number of rows and holds those with the smallest hashes of (seed, row
/// number), at most twice as many as the fit will see.
class StreamSample {
 public:
  /// Both must outlive it. An error where the options ask for what a stream can't give.
  /// `texts` go along with the rows.
  static arrow::Result<StreamSample> Make(FitInput& input, const FitOptions& options,
                                          StreamTexts texts = {});

  /// Adds the rows of a batch that has the column. Rows that have a value in `preferred`, which may
  /// be null, are taken before the others.
  arrow::Status Append(const arrow::RecordBatch& batch, const arrow::Array* preferred = nullptr);

  /// Leaves in the input what the fit is to see.
  void Finish();

  std::int64_t num_rows() const { return num_rows_; }
  bool IsSampled() const { return options_->fit_rows > 0 && num_rows_ > options_->fit_rows; }

  /// One byte for every row that came: whether it is valid; whether the input holds it, too.
  const std::vector<std::uint8_t>& valid() const { return valid_; }
  std::vector<std::uint8_t> Fitted() const;
  /// The numbers of the valid rows that the input holds, ascending.
  std::vector<std::int64_t> FittedRows() const;

 private:
  StreamSample(FitInput& input, const FitOptions& options, StreamTexts texts)
      : input_(&input), options_(&options), texts_(std::move(texts)) {}
  SampleKey KeyOf(std::int64_t row) const;
  void Shrink();

  FitInput* input_;
  const FitOptions* options_;
  // Of the rows that the input holds.
  StreamTexts texts_;
  std::int64_t num_rows_ = 0;
  // The numbers of the rows that the input holds.
  std::vector<std::int64_t> held_;
  std::vector<std::uint8_t> valid_;
  // One byte for every row that came, once one was preferred.
  std::vector<std::uint8_t> preferred_;
};

}  // namespace spuna
