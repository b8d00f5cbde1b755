#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spuna::algorithms {

/// Rows of a matrix, by number.
using RowNumbers = std::vector<std::uint32_t>;

/// 0, 1, …, `count` - 1. Throws std::invalid_argument for more rows than a row number can count.
RowNumbers AllRows(std::size_t count);

/// The row numbers 0 … n - 1 in ascending order of (score, row number).
RowNumbers AscendingOrder(std::span<const double> scores);

/// The `count` rows with the highest values, from the highest down; of equal values the later row
/// comes first. The values are no NaN. By the digits of the numbers: several times as fast as
/// comparing them.
RowNumbers HighestRows(std::span<const float> values, std::size_t count);

}  // namespace spuna::algorithms
