#include "pipelines/fit/changed_rows.h"

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
  if (!input.classes.empty()) {
    for (const std::uint32_t row : rows_) classes_.push_back(input.classes[row]);
  }
  float* const values = input.rows.values.data();
  std::size_t to = 0;
  std::size_t next = 0;
  for (std::size_t row = 0; row < num_rows; ++row) {
    if (IsLeftOut(row, next)) {
      ++next;
      continue;
    }
    if (to != row) {
      std::copy_n(values + row * dimension, dimension, values + to * dimension);
      if (!input.classes.empty()) input.classes[to] = std::move(input.classes[row]);
    }
    ++to;
  }
  input.rows.values.resize(to * dimension);
  if (!input.classes.empty()) input.classes.resize(to);
  input.rows.valid.resize(valid_.size() - rows_.size());
}

LeftOutRows::~LeftOutRows() {
  if (rows_.empty()) return;
  const auto dimension = static_cast<std::size_t>(input_.rows.dimension);
  std::size_t from = input_.rows.values.size() / dimension;
  const std::size_t num_rows = from + rows_.size();
  // The memory is still there: they have had as many before.
  input_.rows.values.resize(num_rows * dimension);
  if (!classes_.empty()) input_.classes.resize(num_rows);
  float* const values = input_.rows.values.data();
  std::size_t left = rows_.size();
  for (std::size_t row = num_rows; row-- > 0;) {
    if (left > 0 && rows_[left - 1] == row) {
      --left;
      std::copy_n(values_.view().row(left), dimension, values + row * dimension);
      if (!classes_.empty()) input_.classes[row] = std::move(classes_[left]);
      continue;
    }
    --from;
    if (from == row) continue;
    std::copy_n(values + from * dimension, dimension, values + row * dimension);
    if (!classes_.empty()) input_.classes[row] = std::move(input_.classes[from]);
  }
  input_.rows.valid = std::move(valid_);
}

}  // namespace spuna
