#include "pipelines/matrix/changed_rows.h"

#include <algorithm>
#include <utility>

#include "algorithms/rows/copy_rows.h"

namespace spuna {

ClippedRows::ClippedRows(EmbeddingMatrix& rows, const algorithms::RowLimits& limits,
                         const algorithms::Execution& execution)
    : rows_(rows), limits_(limits) {
  if (limits.empty()) return;
  limits.ToUnits(rows.values.data(), rows.view().num_rows);
  clipped_ = limits.RowsBeyond(rows.view(), execution);
  originals_ = algorithms::CopyRows(rows.view(), clipped_);
  limits.Clip(rows.values.data(), clipped_, execution);
}

ClippedRows::~ClippedRows() {
  if (limits_.empty()) return;
  const auto dimension = static_cast<std::size_t>(rows_.dimension);
  for (std::size_t i = 0; i < clipped_.size(); ++i) {
    std::copy_n(originals_.view().row(i), dimension, rows_.values.data() + clipped_[i] * dimension);
  }
  limits_.FromUnits(rows_.values.data(), rows_.view().num_rows);
}

LeftOutRows::LeftOutRows(FitInput& input, algorithms::RowNumbers rows)
    : input_(input), rows_(std::move(rows)) {
  if (rows_.empty()) return;
  values_ = algorithms::CopyRows(input.rows.view(), rows_);
  valid_ = input.rows.valid;
  const auto dimension = static_cast<std::size_t>(input.rows.dimension);
  const std::size_t num_rows = input.rows.view().num_rows;
  float* const values = input.rows.values.data();
  std::size_t to = 0;
  std::size_t next = 0;
  for (std::size_t row = 0; row < num_rows; ++row) {
    if (IsLeftOut(row, next)) {
      ++next;
      continue;
    }
    if (to != row) std::copy_n(values + row * dimension, dimension, values + to * dimension);
    ++to;
  }
  input.rows.values.resize(to * dimension);
  input.rows.valid.resize(valid_.size() - rows_.size());
  const std::array texts = {&input.classes, &input.groups};
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (texts[k]->empty()) continue;
    texts_[k] = *texts[k];
    *texts[k] = Without(texts_[k]);
  }
  verdicts_ = input.verdicts;
  input.verdicts = Without(verdicts_);
}

LeftOutRows::~LeftOutRows() {
  if (rows_.empty()) return;
  const auto dimension = static_cast<std::size_t>(input_.rows.dimension);
  std::size_t from = input_.rows.values.size() / dimension;
  const std::size_t num_rows = from + rows_.size();
  // The memory is still there: they have had as many before.
  input_.rows.values.resize(num_rows * dimension);
  float* const values = input_.rows.values.data();
  std::size_t left = rows_.size();
  for (std::size_t row = num_rows; row-- > 0;) {
    if (left > 0 && rows_[left - 1] == row) {
      --left;
      std::copy_n(values_.view().row(left), dimension, values + row * dimension);
    } else if (--from != row) {
      std::copy_n(values + from * dimension, dimension, values + row * dimension);
    }
  }
  input_.rows.valid = std::move(valid_);
  const std::array texts = {&input_.classes, &input_.groups};
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (!texts_[k].empty()) *texts[k] = std::move(texts_[k]);
  }
  input_.verdicts = std::move(verdicts_);
}

}  // namespace spuna
