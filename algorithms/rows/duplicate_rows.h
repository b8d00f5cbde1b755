#pragma once

#include <cstddef>

#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// How many rows of `rows` equal some row of `others`, value for value.
std::size_t CountRowsAlsoIn(const EmbeddingsView& rows, const EmbeddingsView& others);

}  // namespace spuna::algorithms
