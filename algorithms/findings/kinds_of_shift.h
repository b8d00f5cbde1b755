#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/rows/row_set.h"
#include "algorithms/space/linear_projection.h"
#include "algorithms/space/whitening.h"

namespace spuna::algorithms {

/// Shifted rows in groups that differ from the trusted rows in different ways, such as blurred and
/// noisy pictures.
struct KindsOfShift {
  /// The few directions that kinds are told apart by.
  LinearProjection projection;
  /// One kind a row, in coordinates of `projection` whose length r has become ln(1 + r).
  Matrix centroids;
  /// How many of the shifted rows are of each kind: the largest first.
  std::vector<std::size_t> sizes;
  /// For each kind the up to three shifted rows nearest to its centroid, by their number in the
  /// set.
  std::vector<RowNumbers> typical_rows;
  /// The mean silhouette of the kinds, from -1 to 1; 0 with fewer than two.
  double silhouette = 0;

  std::size_t num_kinds() const { return sizes.size(); }

  /// The kind of every row, as if it were shifted. Throws std::invalid_argument where there are no
  /// kinds or the dimension is another.
  std::vector<std::uint32_t> Assign(const RowSet& rows, const Execution& execution) const;
};

/// The mean silhouette from which on rows are of several kinds.
///
/// Chosen on 240-dimensional embeddings of corrupted pictures, five corruptions of Tiny ImageNet.
/// On those each single one was one kind. Of ten mixtures of two, eight were two kinds (0.34 to
/// 0.65); defocus with weak blur and weak contrast with weak blur stayed one. Three mixtures of
/// three were three kinds (0.40 to 0.58); all five at once, one of them far severer, were that one
/// and the rest. Of 66 single corruptions of CIFAR-10, each at one severity and some of them
/// looked at before the choice, 63 were one kind and 3 were two (0.31 to 0.38). Two severities of
/// one corruption may be two kinds.
inline constexpr double kSeveralKindsSilhouette = 0.31;
inline constexpr std::size_t kMaxKinds = 8;

/// Finds 1 to 8 kinds among shifted rows; none without rows, and one among fewer than 20.
///
/// Rows are looked at in whitened coordinates, along the difference of means and the 8 directions
/// in which the shifted rows are spread widest. (Those in which they are narrower, which the metric
/// of contrast takes too, would with fewer rows than dimensions be directions without any rows.)
/// Lengths are put on a logarithmic scale, so that a severe kind does not outweigh all others. The
/// number of kinds is that of the largest mean silhouette (Rousseeuw, 1987) of k-means, or 1 if
/// that is below kSeveralKindsSilhouette; a kind has at least 5 rows and a hundredth of the rows.
///
/// Looks at 5,000 trusted rows and 8,000 shifted rows, 2,000 of them for the number of kinds,
/// evenly taken, where there are more; sizes and typical rows are those of all shifted rows.
KindsOfShift FindKindsOfShift(const EmbeddingsView& trusted, const Whitening& whitening,
                              const RowSet& shifted, std::uint64_t seed,
                              const Execution& execution);

}  // namespace spuna::algorithms
