#pragma once

#include <cstddef>
#include <optional>

#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// How two inputs seem to be normalized differently.
struct NormalizationGap {
  /// Every value of the pool is about `scale` times one like the trusted values, plus `offset`.
  double scale = 1;
  double offset = 0;
  /// Whether the rows of one input all have one length, and those of the other do not.
  bool unit_pool = false;
  bool unit_trusted = false;
  /// The median length of rows.
  double trusted_length = 0;
  double pool_length = 0;
};

/// Whether another normalization of the same embeddings is likelier than a shift; none where it is
/// not. Either
///
/// - the rows of one input, and only of one, all have the same length; or
/// - one scale and one offset for all columns carry the quantiles of the trusted columns to those
///   of the pool, four times nearer than they are without, and fewer than 5 % of the pool's rows
///   are as far from the middle of the trusted rows, in the direction of the pool's and in all, as
///   95 % of these are. A shift of some rows leaves the others where they were; one of all rows
///   seldom treats all columns alike: real shifts came nearer by a factor of 2.2 at most.
///
/// Looks at 1,000 rows of each input and 256 columns, evenly taken. Asks for 30 rows of each, and
/// for the second for four columns that vary.
std::optional<NormalizationGap> FindNormalizationGap(const EmbeddingsView& trusted,
                                                     const EmbeddingsView& pool);

}  // namespace spuna::algorithms
