#include "algorithms/findings/kinds_of_shift.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "algorithms/compute/blas.h"
#include "algorithms/findings/k_means.h"
#include "algorithms/rows/copy_rows.h"
#include "algorithms/rows/evenly_taken.h"
#include "algorithms/rows/plain_sums.h"
#include "algorithms/space/contrast_directions.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kNumDirections = 8;
constexpr std::size_t kMaxTrustedRows = 5000;
constexpr std::size_t kMaxShiftedRows = 8000;
constexpr std::size_t kMaxClusteredRows = 2000;
constexpr std::size_t kMinRowsForSeveralKinds = 20;
constexpr std::size_t kMinRowsOfKind = 5;
constexpr double kMinShareOfKind = 0.01;
constexpr std::uint64_t kNumStarts = 5;
constexpr std::size_t kNumTypicalRows = 3;

// The directions in whitened coordinates, one a row: that between the means first.
Matrix Directions(const Matrix& trusted, const Matrix& shifted) {
  std::vector<double> difference = MeanRow(shifted.view());
  const std::vector<double> trusted_mean = MeanRow(trusted.view());
  double square = 0;
  for (std::size_t j = 0; j < difference.size(); ++j) {
    difference[j] -= trusted_mean[j];
    square += difference[j] * difference[j];
  }
  const Matrix contrast = ContrastDirections(shifted, kNumDirections, Contrast::kWiderSpread);
  Matrix directions{{}, shifted.dimension};
  if (square > 0) {
    for (const double value : difference) {
      directions.values.push_back(static_cast<float>(value / std::sqrt(square)));
    }
  }
  directions.values.insert(directions.values.end(), contrast.values.begin(), contrast.values.end());
  return directions;
}

// Makes each row's length r to ln(1 + r).
void CompressLengths(Matrix& rows) {
  for (std::size_t i = 0; i < rows.num_rows(); ++i) {
    float* const row = rows.values.data() + i * rows.dimension;
    const double square = PlainSquaredNorm(row, rows.dimension);
    if (square == 0) continue;
    const double length = std::sqrt(square);
    const double factor = std::log1p(length) / length;
    for (std::size_t j = 0; j < rows.dimension; ++j) row[j] = static_cast<float>(row[j] * factor);
  }
}

Matrix Coordinates(const LinearProjection& projection, const RowSet& rows,
                   const Execution& execution) {
  Matrix coordinates = projection.Apply(rows, execution);
  CompressLengths(coordinates);
  return coordinates;
}

double WithinSquares(const EmbeddingsView& rows, const Clusters& clusters) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    sum += PlainSquaredDistance(rows.row(i), clusters.centroids.view().row(clusters.assignments[i]),
                                rows.dimension);
  }
  return sum;
}

// The tightest of several starts.
Clusters BestClusters(const EmbeddingsView& rows, std::size_t num_clusters, std::uint64_t seed) {
  Clusters best;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t start = 0; start < kNumStarts; ++start) {
    Clusters clusters = ClusterRows(rows, num_clusters, seed * kNumStarts + start);
    const double squares = WithinSquares(rows, clusters);
    if (squares >= least) continue;
    least = squares;
    best = std::move(clusters);
  }
  return best;
}

// For each row (b - a) / max(a, b), a the mean distance from its own cluster, b from the nearest
// other; 0 for a row that is alone. The mean of them.
double MeanSilhouette(const EmbeddingsView& rows, const Clusters& clusters,
                      const Execution& execution) {
  const std::vector<std::size_t> sizes = clusters.Sizes();
  std::vector<double> silhouettes(rows.num_rows);
  ParallelFor(rows.num_rows, execution, [&](std::size_t i, std::size_t) {
    std::vector<double> sums(sizes.size());
    for (std::size_t other = 0; other < rows.num_rows; ++other) {
      sums[clusters.assignments[other]] +=
          std::sqrt(PlainSquaredDistance(rows.row(i), rows.row(other), rows.dimension));
    }
    const std::size_t own = clusters.assignments[i];
    if (sizes[own] < 2) return;
    const double inside = sums[own] / static_cast<double>(sizes[own] - 1);
    double outside = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      if (c != own) outside = std::min(outside, sums[c] / static_cast<double>(sizes[c]));
    }
    const double larger = std::max(inside, outside);
    if (larger > 0) silhouettes[i] = (outside - inside) / larger;
  });
  double sum = 0;
  for (const double silhouette : silhouettes) sum += silhouette;
  return sum / static_cast<double>(rows.num_rows);
}

struct Choice {
  Matrix centroids;
  double silhouette = 0;
};

Choice ChooseKinds(const EmbeddingsView& rows, std::uint64_t seed, const Execution& execution) {
  Choice choice{ClusterRows(rows, 1, seed).centroids, 0};
  if (rows.num_rows < kMinRowsForSeveralKinds) return choice;
  const std::size_t fewest =
      std::max(kMinRowsOfKind,
               static_cast<std::size_t>(kMinShareOfKind * static_cast<double>(rows.num_rows)));
  std::vector<Clusters> candidates(kMaxKinds - 1);
  ParallelFor(candidates.size(), execution,
              [&](std::size_t i, std::size_t) { candidates[i] = BestClusters(rows, i + 2, seed); });
  double best = kSeveralKindsSilhouette;
  for (const Clusters& candidate : candidates) {
    if (candidate.size() < 2 || std::ranges::min(candidate.Sizes()) < fewest) continue;
    const double silhouette = MeanSilhouette(rows, candidate, execution);
    if (silhouette <= best) continue;
    best = silhouette;
    choice = {candidate.centroids, silhouette};
  }
  return choice;
}

// The centroids in the order of their number of rows.
Matrix LargestFirst(const EmbeddingsView& rows, const Matrix& centroids) {
  std::vector<double> negative_sizes(centroids.num_rows());
  for (const std::uint32_t kind : NearestCentroids(rows, centroids.view())) {
    negative_sizes[kind] -= 1;
  }
  return CopyRows(centroids.view(), AscendingOrder(negative_sizes));
}

}  // namespace

std::vector<std::uint32_t> KindsOfShift::Assign(const RowSet& rows,
                                                const Execution& execution) const {
  if (sizes.empty()) {
    throw std::invalid_argument("there are no kinds of shift to assign " +
                                std::to_string(rows.size()) + " rows to");
  }
  return NearestCentroids(Coordinates(projection, rows, execution).view(), centroids.view());
}

KindsOfShift FindKindsOfShift(const EmbeddingsView& trusted, const Whitening& whitening,
                              const RowSet& shifted, std::uint64_t seed,
                              const Execution& execution) {
  const std::size_t dimension = whitening.center.size();
  if (trusted.dimension != dimension || shifted.dimension() != dimension) {
    throw std::invalid_argument("expected trusted and shifted rows of dimension " +
                                std::to_string(dimension) + " but found " +
                                std::to_string(trusted.dimension) + " and " +
                                std::to_string(shifted.dimension()));
  }
  KindsOfShift kinds;
  if (shifted.size() == 0) return kinds;
  const SingleThreadedBlas single_threaded;
  kinds.projection = ProjectWhitened(
      whitening, Directions(whitening.Apply(EvenlyTaken(trusted, kMaxTrustedRows), execution),
                            whitening.Apply(EvenlyTaken(shifted, kMaxShiftedRows), execution)));
  const Matrix all = Coordinates(kinds.projection, shifted, execution);
  const Matrix some =
      Coordinates(kinds.projection, EvenlyTaken(shifted, kMaxClusteredRows), execution);
  const Choice choice = ChooseKinds(some.view(), seed, execution);
  kinds.silhouette = choice.silhouette;
  kinds.centroids = LargestFirst(all.view(), choice.centroids);

  const std::vector<std::uint32_t> assigned = NearestCentroids(all.view(), kinds.centroids.view());
  kinds.sizes.resize(kinds.centroids.num_rows());
  std::vector<std::vector<double>> squares(kinds.sizes.size());
  std::vector<RowNumbers> members(kinds.sizes.size());
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    const std::uint32_t kind = assigned[i];
    ++kinds.sizes[kind];
    members[kind].push_back(static_cast<std::uint32_t>(i));
    squares[kind].push_back(
        PlainSquaredDistance(all.view().row(i), kinds.centroids.view().row(kind), all.dimension));
  }
  for (std::size_t kind = 0; kind < members.size(); ++kind) {
    RowNumbers typical;
    for (const std::uint32_t place : AscendingOrder(squares[kind])) {
      if (typical.size() == kNumTypicalRows) break;
      typical.push_back(members[kind][place]);
    }
    kinds.typical_rows.push_back(std::move(typical));
  }
  return kinds;
}

}  // namespace spuna::algorithms
