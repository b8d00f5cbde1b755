#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/embeddings_view.h"
#include "algorithms/expansion.h"

namespace spuna::algorithms {

/// Rows that an expansion holds for clean, or for shifted, one after the other.
struct Bank {
  std::vector<float> values;
  std::size_t dimension = 0;

  std::size_t num_rows() const { return dimension == 0 ? 0 : values.size() / dimension; }
  EmbeddingsView view() const { return {values.data(), num_rows(), dimension}; }
};

struct Banks {
  /// The trusted rows, then the pseudo-clean pool rows in their order.
  Bank clean;
  /// The pseudo-shifted pool rows in their order.
  Bank shifted;
};

/// Copies the rows of both banks.
Banks MakeBanks(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                const Expansion& expansion);

}  // namespace spuna::algorithms
