#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// Rows in groups, each row in that of the nearest centroid.
struct Clusters {
  /// One centroid a row. A cluster has at least one row, so there may be fewer than were asked for.
  Matrix centroids;
  /// The cluster of every row.
  std::vector<std::uint32_t> assignments;

  std::size_t size() const { return centroids.num_rows(); }
  /// How many rows each cluster has.
  std::vector<std::size_t> Sizes() const;
};

/// k-means by mlpack, in float64, on one thread.
///
/// The first centroids are drawn by k-means++ (Arthur and Vassilvitskii, 2007) from `seed`: rows,
/// each with a probability in proportion to its square distance from the nearest one drawn so far.
/// No row is drawn twice nor beside its duplicate, so there are at most as many clusters as
/// distinct rows, and none without rows. All values must be finite. Throws std::invalid_argument
/// for `num_clusters` 0.
Clusters ClusterRows(const EmbeddingsView& rows, std::size_t num_clusters, std::uint64_t seed);

/// The nearest centroid of every row, the first of several equally near.
std::vector<std::uint32_t> NearestCentroids(const EmbeddingsView& rows,
                                            const EmbeddingsView& centroids);

}  // namespace spuna::algorithms
