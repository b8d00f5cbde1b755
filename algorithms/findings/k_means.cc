// The one translation unit that includes mlpack's k-means.

#include "algorithms/findings/k_means.h"

#include <algorithm>
#include <limits>
#include <mlpack/core.hpp>
#include <mlpack/methods/kmeans/allow_empty_clusters.hpp>
#include <mlpack/methods/kmeans/kmeans.hpp>
#include <mlpack/methods/kmeans/naive_kmeans.hpp>
#include <mlpack/methods/kmeans/sample_initialization.hpp>
#include <mutex>
#include <stdexcept>
#include <string>

#include "algorithms/compute/blas.h"
#include "algorithms/rows/copy_rows.h"
#include "algorithms/rows/plain_sums.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kMaxIterations = 100;

using KMeans = mlpack::KMeans<mlpack::SquaredEuclideanDistance, mlpack::SampleInitialization,
                              mlpack::AllowEmptyClusters, mlpack::NaiveKMeans>;

// Rows drawn by k-means++; fewer than asked for where no other row is left.
std::vector<std::size_t> DrawCentroids(const EmbeddingsView& rows, std::size_t num_clusters,
                                       SeededRandom& random) {
  std::vector<std::size_t> drawn = {random.Below(rows.num_rows)};
  std::vector<double> squares(rows.num_rows, std::numeric_limits<double>::infinity());
  while (drawn.size() < num_clusters) {
    double total = 0;
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      squares[i] = std::min(
          squares[i], PlainSquaredDistance(rows.row(i), rows.row(drawn.back()), rows.dimension));
      total += squares[i];
    }
    if (!(total > 0)) break;
    // The last row that can be drawn stands in where rounding leaves a remainder.
    double remainder = random.Uniform() * total;
    std::size_t next = 0;
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      if (squares[i] == 0) continue;
      next = i;
      remainder -= squares[i];
      if (remainder < 0) break;
    }
    drawn.push_back(next);
  }
  return drawn;
}

// Clusters without rows are left out and the others numbered anew.
Clusters WithoutEmpty(Clusters clusters) {
  const std::vector<std::size_t> sizes = clusters.Sizes();
  std::vector<std::uint32_t> renumbered(sizes.size());
  RowNumbers kept;
  for (std::uint32_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] == 0) continue;
    renumbered[c] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(c);
  }
  for (std::uint32_t& cluster : clusters.assignments) cluster = renumbered[cluster];
  clusters.centroids = CopyRows(clusters.centroids.view(), kept);
  return clusters;
}

}  // namespace

std::vector<std::size_t> Clusters::Sizes() const {
  std::vector<std::size_t> sizes(size());
  for (const std::uint32_t cluster : assignments) ++sizes[cluster];
  return sizes;
}

std::vector<std::uint32_t> NearestCentroids(const EmbeddingsView& rows,
                                            const EmbeddingsView& centroids) {
  std::vector<std::uint32_t> nearest(rows.num_rows);
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < centroids.num_rows; ++c) {
      const double square = PlainSquaredDistance(rows.row(i), centroids.row(c), rows.dimension);
      if (square >= least) continue;
      least = square;
      nearest[i] = static_cast<std::uint32_t>(c);
    }
  }
  return nearest;
}

Clusters ClusterRows(const EmbeddingsView& rows, std::size_t num_clusters, std::uint64_t seed) {
  if (num_clusters == 0) {
    throw std::invalid_argument("expected at least 1 cluster of " + std::to_string(rows.num_rows) +
                                " rows but found 0");
  }
  Clusters clusters{{{}, rows.dimension}, {}};
  if (rows.num_rows == 0 || rows.dimension == 0) return clusters;
  const SingleThreadedBlas single_threaded;
  SeededRandom random(seed);
  const std::vector<std::size_t> drawn = DrawCentroids(rows, num_clusters, random);
  arma::mat centroids(rows.dimension, drawn.size());
  for (std::size_t c = 0; c < drawn.size(); ++c) {
    std::copy_n(rows.row(drawn[c]), rows.dimension, centroids.colptr(c));
  }
  arma::mat doubles(rows.dimension, rows.num_rows);
  std::copy_n(rows.data, rows.num_rows * rows.dimension, doubles.memptr());
  {
    // mlpack writes to one log, which is not made for several threads, whether it is shown or not.
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    KMeans(kMaxIterations).Cluster(doubles, drawn.size(), centroids, /*initialGuess=*/true);
  }

  clusters.centroids.values.assign(centroids.begin(), centroids.end());
  // By the centroids as they are kept, so that a row that is assigned later goes the same way.
  clusters.assignments = NearestCentroids(rows, clusters.centroids.view());
  return WithoutEmpty(std::move(clusters));
}

}  // namespace spuna::algorithms
