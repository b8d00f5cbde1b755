#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/rows/ranking.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {

/// The fold of every row.
using Folds = std::vector<std::size_t>;

/// Folds as even as can be, in random order.
Folds AssignFolds(std::size_t num_rows, std::size_t num_folds, SeededRandom& random);

/// The rows of one fold, in ascending order.
RowNumbers RowsOf(std::size_t fold, const Folds& folds);

}  // namespace spuna::algorithms
