#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/rows/ranking.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {

/// The fold of every row.
using Folds = std::vector<std::size_t>;

/// Folds as even as can be, in random order. All rows of a group are in one fold; `groups` has the
/// group of every row, or nothing where each row stands alone. No fold is empty where there are as
/// many groups as folds.
Folds AssignFolds(std::size_t num_rows, std::span<const std::uint32_t> groups,
                  std::size_t num_folds, SeededRandom& random);

/// The rows of one fold, in ascending order.
RowNumbers RowsOf(std::size_t fold, const Folds& folds);

}  // namespace spuna::algorithms
