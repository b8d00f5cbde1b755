#include "pipelines/fit/stream_sample.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <utility>

#include "pipelines/source/row_sample.h"

namespace spuna {
namespace {

// A batch may have any number of rows.
constexpr std::int64_t kRowsAtOnce = 16 << 10;

}  // namespace

arrow::Result<StreamSample> StreamSample::Make(FitInput& input, const FitOptions& options,
                                               StreamTexts texts) {
  if (options.fit_sample == FitSample::kByPartition) {
    return arrow::Status::Invalid("`fit-sample` by-partition is for fits on Parquet files: ",
                                  input.where, " has no hive partitions");
  }
  return StreamSample(input, options, std::move(texts));
}

arrow::Status StreamSample::Append(const arrow::RecordBatch& batch, const arrow::Array* preferred) {
  for (std::int64_t begin = 0; begin < batch.num_rows(); begin += kRowsAtOnce) {
    const auto rows = batch.Slice(begin, kRowsAtOnce);
    ARROW_RETURN_NOT_OK(input_->Append(*rows, options_->invalid, num_rows_));
    ARROW_RETURN_NOT_OK(texts_.Append(*rows, num_rows_));
    const std::vector<std::uint8_t>& held = input_->rows.valid;
    valid_.insert(valid_.end(), held.end() - rows->num_rows(), held.end());
    for (std::int64_t i = 0; i < rows->num_rows(); ++i) {
      if (preferred != nullptr) preferred_.push_back(preferred->IsValid(begin + i) ? 1 : 0);
      held_.push_back(num_rows_++);
    }
    if (IsSampled() && static_cast<std::int64_t>(held_.size()) >= 2 * options_->fit_rows) Shrink();
  }
  return arrow::Status::OK();
}

void StreamSample::Finish() {
  if (IsSampled()) Shrink();
  texts_.MoveTo(*input_);
}

void StreamSample::Shrink() {
  const auto wanted = static_cast<std::size_t>(options_->fit_rows);
  if (held_.size() <= wanted) return;
  std::vector<SampleKey> kept;
  kept.reserve(held_.size());
  for (const std::int64_t row : held_) kept.push_back(KeyOf(row));
  KeepSmallest(wanted, kept);
  const SampleKey limit = *std::ranges::max_element(kept);

  // The rows that stay move to the front, in their order.
  EmbeddingMatrix& matrix = input_->rows;
  const auto width = static_cast<std::size_t>(matrix.dimension);
  std::vector<std::size_t> indices;
  std::size_t num_kept = 0;
  std::size_t value_from = 0;
  std::size_t value_to = 0;
  matrix.num_invalid = 0;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const std::size_t num_values = matrix.valid[i] != 0 ? width : 0;
    if (KeyOf(held_[i]) <= limit) {
      std::copy_n(matrix.values.begin() + static_cast<std::ptrdiff_t>(value_from), num_values,
                  matrix.values.begin() + static_cast<std::ptrdiff_t>(value_to));
      matrix.valid[num_kept] = matrix.valid[i];
      matrix.num_invalid += matrix.valid[i] == 0 ? 1 : 0;
      held_[num_kept++] = held_[i];
      indices.push_back(i);
      value_to += num_values;
    }
    value_from += num_values;
  }
  texts_.Keep(indices);
  held_.resize(num_kept);
  matrix.valid.resize(num_kept);
  matrix.values.resize(value_to);
}

SampleKey StreamSample::KeyOf(std::int64_t row) const {
  SampleKey key = SampleKeys("", options_->seed)(row);
  if (preferred_.empty()) return key;
  constexpr std::uint64_t kAfterOthers = std::uint64_t{1} << 63;
  key.hash >>= 1;
  if (preferred_[static_cast<std::size_t>(row)] == 0) key.hash |= kAfterOthers;
  return key;
}

std::vector<std::uint8_t> StreamSample::Fitted() const {
  std::vector<std::uint8_t> fitted(static_cast<std::size_t>(num_rows_), 0);
  for (const std::int64_t row : held_) {
    fitted[static_cast<std::size_t>(row)] = valid_[static_cast<std::size_t>(row)];
  }
  return fitted;
}

std::vector<std::int64_t> StreamSample::FittedRows() const {
  std::vector<std::int64_t> rows;
  for (const std::int64_t row : held_) {
    if (valid_[static_cast<std::size_t>(row)] != 0) rows.push_back(row);
  }
  return rows;
}

}  // namespace spuna
