#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// How much of the difference between trusted rows and pool is another mix of the same clusters,
/// such as classes, rather than a shift.
struct ClusterMix {
  std::size_t num_clusters = 0;
  /// The probability that a pool row scores higher than a trusted row,
  double auroc = 0.5;
  /// and than a trusted row of its own cluster.
  double within_auroc = 0.5;
  /// The share of auroc - 1/2 that is gone within clusters, from 0 to 1. 0 where the auroc can't be
  /// told from 1/2: there is nothing to explain.
  double explained = 0;
  std::size_t num_trusted = 0;
  std::size_t num_pool = 0;
};

/// From scores that were given by models that had not seen the row (Discriminant::trusted and pool;
/// higher is more like the pool).
///
/// The trusted rows, standardized, are clustered by k-means into 10 clusters, fewer where there are
/// fewer than 20 rows for each, and every pool row belongs to the nearest. Looks at 5,000 trusted
/// and 20,000 pool rows, evenly taken, where there are more. Throws std::invalid_argument where
/// sizes or dimensions disagree.
///
/// Clusters are not classes: on embeddings of CIFAR-10 pools of clean rows in which two or three
/// classes were eight times as frequent as the others had 0.40 and 0.48, pools with a corruption
/// and the trusted rows' mix of classes 0.02 to 0.04.
///
/// A shift that carries rows from one cluster into another looks like a change of the mix: the
/// share is a hint, which names of classes (Strata) can settle.
ClusterMix MeasureClusterMix(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                             std::span<const double> trusted_scores,
                             std::span<const double> pool_scores, std::uint64_t seed);

}  // namespace spuna::algorithms
