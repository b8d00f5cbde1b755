#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/row_set.h"

namespace spuna::algorithms {

/// Coordinates in which the rows it was made from are centered, uncorrelated and of equal spread:
///
///     z = rotation * (x - center), rotation = diag(1 / sqrt(eigenvalues)) * eigenvectors'
///
/// of the covariance, shrunk towards a multiple of the identity as Ledoit and Wolf do, so that it
/// can be inverted with fewer rows than dimensions.
struct Whitening {
  std::vector<double> center;
  /// dimension x dimension, row by row: one whitened coordinate a row.
  std::vector<float> rotation;
  /// 0 for the plain covariance, 1 for a multiple of the identity.
  double shrinkage = 0;

  /// The rows in whitened coordinates. One that is more than three times as far out as rows of the
  /// whitened distribution are is drawn in to there, so that no row outweighs all others.
  /// Memory for `num_spare` more coordinates a row is reserved.
  Matrix Apply(const RowSet& rows, const Execution& execution, std::size_t num_spare = 0) const;
};

/// Rows more than three times the median distance from the center count as if they were there:
/// a few with a hundred times the norm of the rest decide neither the center nor the covariance.
Whitening FitWhitening(const RowSet& rows);

}  // namespace spuna::algorithms
