// Plain data: no source file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {

/// What a person has said of a row that a fit learns from.
enum class RowVerdict : std::uint8_t { kNone, kClean, kShifted };

/// The verdict of every pool row; empty where there is none.
using RowVerdicts = std::vector<RowVerdict>;

inline bool HasShifted(std::span<const RowVerdict> verdicts) {
  return std::ranges::find(verdicts, RowVerdict::kShifted) != verdicts.end();
}

/// The rows without a verdict, of `num_rows`.
inline RowNumbers RowsWithoutVerdict(std::span<const RowVerdict> verdicts, std::size_t num_rows) {
  if (verdicts.empty()) return AllRows(num_rows);
  RowNumbers rows;
  for (std::uint32_t row = 0; row < num_rows; ++row) {
    if (verdicts[row] == RowVerdict::kNone) rows.push_back(row);
  }
  return rows;
}

/// The values of some rows.
template <typename T>
std::vector<T> ValuesAt(const RowNumbers& rows, const std::vector<T>& values) {
  std::vector<T> chosen;
  chosen.reserve(rows.size());
  for (const std::uint32_t row : rows) chosen.push_back(values[row]);
  return chosen;
}

}  // namespace spuna::algorithms
