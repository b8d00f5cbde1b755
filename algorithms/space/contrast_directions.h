#pragma once

#include <cstddef>

#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// Which difference from the trusted rows' spread counts.
enum class Contrast {
  kAnySpread,   ///< wider or narrower: the largest |ln λ|
  kWiderSpread  ///< wider only: the largest λ
};

/// The up to `count` directions in which the second moment λ of whitened rows, 1 for the rows that
/// the whitening was made from, differs most; one a row, of length 1, the largest difference first.
/// There must be rows. Throws std::runtime_error where the moment can't be decomposed.
Matrix ContrastDirections(const Matrix& whitened, std::size_t count, Contrast contrast);

/// The rows' coordinates along directions that are given one a row.
Matrix ProjectOn(const Matrix& rows, const Matrix& directions);

}  // namespace spuna::algorithms
