#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/expansion/expansion.h"
#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// Rows that an expansion holds for clean, and for shifted, one after the other.
struct Banks {
  /// The trusted rows, then the pseudo-clean pool rows in their order.
  Matrix clean;
  /// The pseudo-shifted pool rows in their order.
  Matrix shifted;
};

/// Copies the rows of both banks.
Banks MakeBanks(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                const Expansion& expansion);

}  // namespace spuna::algorithms
