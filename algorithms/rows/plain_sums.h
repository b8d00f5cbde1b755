#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/rows/row_set.h"

namespace spuna::algorithms {

// Sums in float64, one value after the other in their order. (SquaredDistance of
// neighbors/nearest_distances.h adds in another order: it is faster and differs in the last bits.)

/// The squared Euclidean distance of two rows.
double PlainSquaredDistance(const float* a, const float* b, std::size_t dimension);

/// The squared Euclidean length of a row, which no float32 can make overflow.
double PlainSquaredNorm(const float* row, std::size_t dimension);

/// The mean of the rows; 0 without rows.
std::vector<double> MeanRow(const RowSet& rows);

}  // namespace spuna::algorithms
