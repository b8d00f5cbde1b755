#pragma once

#include <cstddef>

#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {

/// How many rows of `rows` equal some row of `others`, value for value.
std::size_t CountRowsAlsoIn(const EmbeddingsView& rows, const EmbeddingsView& others);

/// The first of the equal rows wherever at least `num_copies` are equal, value for value: those of
/// which there are most first, and at most `max_rows`.
RowNumbers RowsWithCopies(const EmbeddingsView& rows, std::size_t num_copies, std::size_t max_rows);

/// The rows that equal no earlier row, value for value, ascending.
RowNumbers DistinctRows(const EmbeddingsView& rows);

}  // namespace spuna::algorithms
