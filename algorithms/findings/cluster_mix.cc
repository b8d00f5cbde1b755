#include "algorithms/findings/cluster_mix.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/compute/standardization.h"
#include "algorithms/findings/k_means.h"
#include "algorithms/guarantees/share_estimate.h"
#include "algorithms/rows/evenly_taken.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kMaxTrustedRows = 5000;
constexpr std::size_t kMaxPoolRows = 20000;
constexpr std::size_t kMaxClusters = 10;
constexpr std::size_t kRowsPerCluster = 20;
// An AUROC closer to 1/2 than this many standard errors shows no difference.
constexpr double kMinErrorsFromHalf = 2;
// A row far out in one dimension should not be a cluster.
constexpr double kLargestStandardized = 8;

void CheckShapes(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                 std::span<const double> trusted_scores, std::span<const double> pool_scores) {
  if (trusted.dimension != pool.dimension) {
    throw std::invalid_argument("expected pool rows of dimension " +
                                std::to_string(trusted.dimension) + " but found " +
                                std::to_string(pool.dimension));
  }
  if (trusted_scores.size() != trusted.num_rows || pool_scores.size() != pool.num_rows) {
    throw std::invalid_argument("expected " + std::to_string(trusted.num_rows) + " and " +
                                std::to_string(pool.num_rows) + " scores but found " +
                                std::to_string(trusted_scores.size()) + " and " +
                                std::to_string(pool_scores.size()));
  }
}

Matrix Standardized(const RowSet& rows, const Standardizer& standardizer) {
  Matrix standardized{std::vector<float>(rows.size() * rows.dimension()), rows.dimension()};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    standardizer.Apply(rows[i], standardized.values.data() + i * rows.dimension());
  }
  return standardized;
}

std::vector<double> ScoresOf(std::span<const double> scores, const RowNumbers& rows) {
  std::vector<double> taken(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) taken[i] = scores[rows[i]];
  return taken;
}

// The scores of each cluster's rows.
std::vector<std::vector<double>> ByCluster(std::span<const double> scores,
                                           std::span<const std::uint32_t> clusters,
                                           std::size_t num_clusters) {
  std::vector<std::vector<double>> of_cluster(num_clusters);
  for (std::size_t i = 0; i < scores.size(); ++i) of_cluster[clusters[i]].push_back(scores[i]);
  return of_cluster;
}

}  // namespace

ClusterMix MeasureClusterMix(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                             std::span<const double> trusted_scores,
                             std::span<const double> pool_scores, std::uint64_t seed) {
  CheckShapes(trusted, pool, trusted_scores, pool_scores);
  ClusterMix mix;
  const std::vector<double> of_trusted =
      ScoresOf(trusted_scores, EvenlyTaken(trusted.num_rows, kMaxTrustedRows));
  const std::vector<double> of_pool =
      ScoresOf(pool_scores, EvenlyTaken(pool.num_rows, kMaxPoolRows));
  mix.num_trusted = of_trusted.size();
  mix.num_pool = of_pool.size();
  if (of_trusted.empty() || of_pool.empty() || trusted.dimension == 0) return mix;

  const RowSet trusted_rows = EvenlyTaken(RowSet(trusted), kMaxTrustedRows);
  const Standardization fitted = FitStandardization(trusted_rows);
  const Standardizer standardizer(fitted, kLargestStandardized);
  const Clusters clusters = ClusterRows(
      Standardized(trusted_rows, standardizer).view(),
      std::clamp<std::size_t>(of_trusted.size() / kRowsPerCluster, 1, kMaxClusters), seed);
  mix.num_clusters = clusters.size();
  const std::vector<std::uint32_t> pool_clusters =
      NearestCentroids(Standardized(EvenlyTaken(RowSet(pool), kMaxPoolRows), standardizer).view(),
                       clusters.centroids.view());
  const auto trusted_parts = ByCluster(of_trusted, clusters.assignments, clusters.size());
  const auto pool_parts = ByCluster(of_pool, pool_clusters, clusters.size());

  mix.auroc = Auroc(of_trusted, of_pool);
  mix.within_auroc = 0;
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    if (pool_parts[c].empty()) continue;
    // Every pool row counts once, against the trusted rows of its cluster.
    const double pool_share =
        static_cast<double>(pool_parts[c].size()) / static_cast<double>(mix.num_pool);
    mix.within_auroc += pool_share * Auroc(trusted_parts[c], pool_parts[c]);
  }
  const double separation = mix.auroc - 0.5;
  if (separation > kMinErrorsFromHalf * AurocError(mix.num_trusted, mix.num_pool)) {
    mix.explained = std::clamp(1 - (mix.within_auroc - 0.5) / separation, 0.0, 1.0);
  }
  return mix;
}

}  // namespace spuna::algorithms
