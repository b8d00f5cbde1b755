#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/space/row_limits.h"
#include "pipelines/matrix/fit_input.h"

namespace spuna {

/// Rows that are within limits while this lives, in place, and are then as they were. With limits
/// that are empty nothing changes.
class ClippedRows {
 public:
  ClippedRows(EmbeddingMatrix& rows, const algorithms::RowLimits& limits,
              const algorithms::Execution& execution);
  ~ClippedRows();
  ClippedRows(const ClippedRows&) = delete;
  ClippedRows& operator=(const ClippedRows&) = delete;

  std::int64_t count() const { return static_cast<std::int64_t>(clipped_.size()); }

 private:
  EmbeddingMatrix& rows_;
  const algorithms::RowLimits& limits_;
  algorithms::RowNumbers clipped_;
  // The clipped rows as they were.
  algorithms::Matrix originals_;
};

/// An input that lacks some of its valid rows while this lives, and then has them again. No copy of
/// the others is made.
class LeftOutRows {
 public:
  /// The rows must be ascending.
  LeftOutRows(FitInput& input, algorithms::RowNumbers rows);
  ~LeftOutRows();
  LeftOutRows(const LeftOutRows&) = delete;
  LeftOutRows& operator=(const LeftOutRows&) = delete;

  /// Values of the rows that were left, one each, with others in the places of those left out.
  template <typename T>
  std::vector<T> Spread(const std::vector<T>& values, T left_out) const {
    std::vector<T> spread;
    spread.reserve(values.size() + rows_.size());
    std::size_t next = 0;
    for (const T& value : values) {
      for (; IsLeftOut(spread.size(), next); ++next) spread.push_back(left_out);
      spread.push_back(value);
    }
    for (; IsLeftOut(spread.size(), next); ++next) spread.push_back(left_out);
    return spread;
  }

  /// Values of all rows without those of the rows left out.
  template <typename T>
  std::vector<T> Without(const std::vector<T>& values) const {
    std::vector<T> left;
    std::size_t next = 0;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (IsLeftOut(row, next)) {
        ++next;
      } else {
        left.push_back(values[row]);
      }
    }
    return left;
  }

 private:
  bool IsLeftOut(std::size_t row, std::size_t next) const {
    return next < rows_.size() && rows_[next] == row;
  }

  FitInput& input_;
  algorithms::RowNumbers rows_;
  algorithms::Matrix values_;
  // The classes, groups and verdicts of all rows.
  std::array<std::vector<std::string>, 2> texts_;
  algorithms::RowVerdicts verdicts_;
  std::vector<std::uint8_t> valid_;
};

}  // namespace spuna
