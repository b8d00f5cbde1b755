#pragma once

#include <cstddef>

#include "algorithms/rows/ranking.h"
#include "algorithms/rows/row_set.h"

namespace spuna::algorithms {

/// At most `most` of `count` rows, at even distances.
RowNumbers EvenlyTaken(std::size_t count, std::size_t most);

/// Those rows of a set.
RowSet EvenlyTaken(const RowSet& rows, std::size_t most);

}  // namespace spuna::algorithms
