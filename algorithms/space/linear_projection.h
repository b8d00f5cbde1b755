#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/row_set.h"
#include "algorithms/space/whitening.h"

namespace spuna::algorithms {

/// A few directions that rows are looked at along: directions * (x - center).
struct LinearProjection {
  std::vector<double> center;
  /// One direction after the other, each as long as `center`.
  std::vector<double> directions;

  std::size_t dimension() const { return center.size(); }
  std::size_t num_directions() const {
    return center.empty() ? 0 : directions.size() / dimension();
  }

  /// The rows' coordinates, summed in float64. A row's do not depend on the others'. Throws
  /// std::invalid_argument for rows of another dimension.
  Matrix Apply(const RowSet& rows, const Execution& execution) const;
};

/// The projection of rows as they come on directions in whitened coordinates, given one a row.
///
/// It costs a product with each direction, not with the whole rotation. Far rows are not drawn in
/// as `Whitening::Apply` does.
LinearProjection ProjectWhitened(const Whitening& whitening, const Matrix& directions);

}  // namespace spuna::algorithms
