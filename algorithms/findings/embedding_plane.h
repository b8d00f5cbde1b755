#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/row_set.h"
#include "algorithms/space/linear_projection.h"
#include "algorithms/space/whitening.h"

namespace spuna::algorithms {

/// What a direction of a plane shows.
enum class PlaneAxis {
  kDiscriminant,  ///< from rows that are kept to shifted rows
  kPrincipal,     ///< in which all rows are spread widest
  kNone,          ///< nothing: rows of one dimension have no second direction
};

/// Two directions to look at rows in, orthogonal and of equal unit in whitened coordinates.
struct Plane {
  std::array<PlaneAxis, 2> axes = {PlaneAxis::kPrincipal, PlaneAxis::kPrincipal};
  LinearProjection projection;

  /// Two coordinates a row.
  Matrix Project(const RowSet& rows, const Execution& execution) const {
    return projection.Apply(rows, execution);
  }
};

/// The plane of the linear discriminant between shifted rows of the pool (`shifted` is not 0) and
/// all other rows, and the principal direction of all rows beside it. Where there are no shifted or
/// no other rows, or their means are equal, the first two principal directions.
///
/// Shifted rows lie in the positive direction of the discriminant; of a principal direction the
/// largest whitened coordinate is positive. Looks at 5,000 trusted and 20,000 pool rows, evenly
/// taken, where there are more. Throws std::invalid_argument where sizes or dimensions disagree.
Plane FindPlane(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                std::span<const std::uint8_t> shifted, const Whitening& whitening,
                const Execution& execution);

}  // namespace spuna::algorithms
