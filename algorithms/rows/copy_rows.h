#pragma once

#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {

/// The chosen rows, in the order in which they are chosen.
Matrix CopyRows(const EmbeddingsView& rows, const RowNumbers& chosen);

/// Adds the chosen rows to a matrix, which takes their dimension.
void AppendRows(const EmbeddingsView& rows, const RowNumbers& chosen, Matrix& to);

}  // namespace spuna::algorithms
