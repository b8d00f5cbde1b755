#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// The distance up to which rows count as near copies of each other: a hundredth of the median
/// distance from a row to its tenth nearest. A copy that was rounded to float16 lies within it;
/// the picture encoded again does not. 0, which leaves exact copies only, where rows come so near
/// by chance: in fewer than eight dimensions, or among fewer than 12 rows.
double NearCopyDistance(const EmbeddingsView& rows);

/// How many rows of `rows` have a near copy among `others`: one within `distance`, exact copies
/// included.
///
/// Only rows that agree in eight fixed random directions are compared. A copy at the full distance
/// is missed once in two thousand times, a nearer one less often. The time grows with the rows
/// whose first direction agrees, and is bounded for each row, so that copies may be missed where
/// very many rows agree.
std::size_t CountNearCopies(const EmbeddingsView& rows, const EmbeddingsView& others,
                            double distance);

/// For every row the first row of its group: rows are in one group if near copies lead from one to
/// the other. A row without near copies is its own.
std::vector<std::uint32_t> NearCopyGroups(const EmbeddingsView& rows, double distance);

}  // namespace spuna::algorithms
