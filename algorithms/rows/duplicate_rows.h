#pragma once

#include <cstddef>

#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {

/// How many rows of `rows` equal some row of `others`, value for value.
std::size_t CountRowsAlsoIn(const EmbeddingsView& rows, const EmbeddingsView& others);

/// The rows that equal no earlier row, value for value, ascending.
RowNumbers DistinctRows(const EmbeddingsView& rows);

}  // namespace spuna::algorithms
