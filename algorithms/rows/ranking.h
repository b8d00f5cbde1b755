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

}  // namespace spuna::algorithms
