// Inlined into its users, who know Armadillo: no source file.
#pragma once

#include <armadillo>

#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// The rows as Armadillo sees them, one a column, without a copy. The memory must outlive it and
/// must not be written to.
inline arma::fmat AsColumns(const EmbeddingsView& rows) {
  return {const_cast<float*>(rows.data), rows.dimension, rows.num_rows, false, true};
}

}  // namespace spuna::algorithms
