#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/rows/row_set.h"
#include "algorithms/space/whitening.h"

namespace spuna::algorithms {

/// Rows to choose from. Those that count are asked for in a number; the others are chosen by the
/// very same rule, which does not know which row is which, and come along.
struct Candidates {
  const RowSet& rows;
  std::span<const float> scores;
  /// A byte for each row.
  std::span<const std::uint8_t> counts;
};

/// Chooses rows of high scores that are unlike each other, until `wanted` of those that count are
/// chosen or none is left: the highest first, then always the row of greatest
///
///     distance to the nearest chosen row / mean of such distances (2 at most) - rank / candidates
///
/// among three times as many rows of the highest scores as are wanted. Distances are whitened. Many
/// rows are chosen in blocks.
RowNumbers ChooseSpread(const Candidates& candidates, std::size_t wanted,
                        const Whitening& whitening, const Execution& execution);

/// Chooses the rows whose scores are nearest to a threshold, but for rows that are `taken`, until
/// `wanted` of those that count are chosen or none is left.
RowNumbers ChooseNear(const Candidates& candidates, double threshold, const RowNumbers& taken,
                      std::size_t wanted);

}  // namespace spuna::algorithms
