#include "algorithms/space/trusted_distance.h"

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "algorithms/compute/blas.h"
#include "algorithms/compute/moments.h"
#include "algorithms/compute/row_product.h"
#include "algorithms/compute/standardization.h"
#include "algorithms/compute/vector_kernels.h"
#include "algorithms/rows/copy_rows.h"
#include "algorithms/rows/groups.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/rows/seeded_random.h"
#include "algorithms/space/row_limits.h"

namespace spuna::algorithms {
namespace {

// Each costs a third of a percent of a score of 768 columns; 24 found no more far rows.
constexpr std::size_t kMaxDirections = 16;
// A direction needs some rows.
constexpr std::size_t kRowsPerDirection = 4;
constexpr std::size_t kMaxRowsOfA = 1000;
constexpr std::size_t kMaxReferences = 20'000;
constexpr std::size_t kLeastTrustedRows = 12;
// Values farther out, in spreads, are no farther.
constexpr double kLargestValue = 1e4;
// The distance from the directions' space varies by at least this part of itself.
constexpr double kLeastRest = 0.05;
// Where the level can't be reached by so much a row must lie twice as far out as any reference.
constexpr double kCoarseLevel = 0.01;
constexpr std::size_t kReferencesAtOnce = 64;
constexpr double kRounding = 1e-9;

// Turns blocks of rows into coordinates.
class Coordinates {
 public:
  explicit Coordinates(const TrustedDistance& distance)
      : distance_(distance),
        standardizer_(distance.center, distance.spread, kLargestValue),
        product_(distance.dimension(), distance.num_directions()) {}

  // The coordinates of `count` rows, a row after the other.
  void Make(const float* rows, std::size_t count, std::vector<float>& coordinates) {
    const std::size_t dimension = distance_.dimension();
    const std::size_t num_directions = distance_.num_directions();
    const std::size_t num_coordinates = distance_.num_coordinates();
    coordinates.resize(count * num_coordinates);
    float* const inputs = product_.Inputs(count);
    for (std::size_t i = 0; i < count; ++i) {
      standardizer_.Apply(rows + i * dimension, inputs + i * dimension);
    }
    product_.Multiply(distance_.directions, {});
    for (std::size_t i = 0; i < count; ++i) {
      float* const own = coordinates.data() + i * num_coordinates;
      for (std::size_t c = 0; c < num_directions; ++c) own[c] = product_.Output(c)[i];
      if (num_coordinates == num_directions) continue;
      double rest = Kernels().squared_norm(inputs + i * dimension, dimension);
      for (std::size_t c = 0; c < num_directions; ++c) {
        const double along = static_cast<double>(own[c]) * distance_.deviations[c];
        rest -= along * along;
      }
      own[num_directions] =
          static_cast<float>(std::sqrt(std::max(rest, 0.0))) * distance_.rest_scale;
    }
  }

 private:
  const TrustedDistance& distance_;
  Standardizer standardizer_;
  RowProduct product_;
};

// The coordinates of all rows, a row after the other.
std::vector<float> CoordinatesOf(const TrustedDistance& distance, const EmbeddingsView& rows) {
  Coordinates maker(distance);
  std::vector<float> all;
  std::vector<float> some;
  for (std::size_t begin = 0; begin < rows.num_rows; begin += RowProduct::kRowsPerBlock) {
    maker.Make(rows.row(begin), std::min(RowProduct::kRowsPerBlock, rows.num_rows - begin), some);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

// References that follow each other.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The distance to the nearest reference outside a range. The search ends with one within `enough`.
float DistanceToNearest(const TrustedDistance& distance, const float* row, const Range& outside,
                        float enough) {
  const std::size_t num_references = distance.num_references();
  float least = std::numeric_limits<float>::infinity();
  const float enough_squared = enough * enough;
  for (std::size_t begin = 0; begin < num_references; begin += kReferencesAtOnce) {
    const std::size_t count = std::min(kReferencesAtOnce, num_references - begin);
    float sums[kReferencesAtOnce] = {};
    for (std::size_t c = 0; c < distance.num_coordinates(); ++c) {
      const float* const references = distance.references.data() + c * num_references + begin;
      for (std::size_t i = 0; i < count; ++i) {
        const float difference = row[c] - references[i];
        sums[i] += difference * difference;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_counted = begin + i < outside.begin || begin + i >= outside.end;
      if (is_counted) least = std::min(least, sums[i]);
    }
    if (least <= enough_squared) break;
  }
  return std::sqrt(least);
}

// The directions in which rows, one a column, vary most, and their deviations, largest first.
void FindDirections(const arma::mat& rows, std::size_t num_directions, TrustedDistance& distance) {
  const double n = static_cast<double>(rows.n_cols);
  const bool by_rows = rows.n_cols < rows.n_rows;
  const arma::mat products = by_rows ? arma::mat(rows.t() * rows) : arma::mat(rows * rows.t());
  arma::vec eigenvalues;
  arma::mat eigenvectors;
  if (!arma::eig_sym(eigenvalues, eigenvectors, products)) {
    throw std::runtime_error("the spread of the trusted rows can't be decomposed");
  }
  const double largest = eigenvalues.max();
  for (std::size_t c = 0; c < num_directions; ++c) {
    const arma::uword from = eigenvalues.n_elem - 1 - c;
    if (!(eigenvalues[from] > 1e-9 * largest)) break;
    arma::vec direction = eigenvectors.col(from);
    if (by_rows) direction = rows * direction;
    direction /= arma::norm(direction);
    const double deviation = std::sqrt(eigenvalues[from] / n);
    distance.deviations.push_back(static_cast<float>(deviation));
    for (const double value : direction) {
      distance.directions.push_back(static_cast<float>(value / deviation));
    }
  }
}

// The coordinates, from part A.
TrustedDistance MakeCoordinates(Matrix rows, const Execution& execution) {
  RowLimits limits = FitRowLimits(rows.view());
  limits.ToUnits(rows.values.data(), rows.num_rows());
  limits.Clip(rows.values.data(), limits.RowsBeyond(rows.view(), execution), execution);
  limits.FromUnits(rows.values.data(), rows.num_rows());
  limits.FromUnits(limits.center.data(), 1);
  limits.FromUnits(limits.spread.data(), 1);
  TrustedDistance distance;
  distance.center.assign(limits.center.begin(), limits.center.end());
  distance.spread.assign(limits.spread.begin(), limits.spread.end());
  const std::size_t dimension = rows.dimension;
  arma::mat standardized(dimension, rows.num_rows());
  for (std::size_t i = 0; i < rows.num_rows(); ++i) {
    for (std::size_t j = 0; j < dimension; ++j) {
      standardized(j, i) = (rows.view().row(i)[j] - distance.center[j]) / distance.spread[j];
    }
  }
  const std::size_t num_directions = std::min(
      {kMaxDirections, dimension, std::max<std::size_t>(rows.num_rows() / kRowsPerDirection, 1)});
  FindDirections(standardized, num_directions, distance);
  if (distance.num_directions() == dimension) return distance;
  // How far rows of A lie from the directions' space.
  distance.rest_scale = 1;
  const std::vector<float> coordinates = CoordinatesOf(distance, rows.view());
  std::vector<double> rest;
  for (std::size_t i = 0; i < rows.num_rows(); ++i) {
    rest.push_back(coordinates[(i + 1) * distance.num_coordinates() - 1]);
  }
  const Moments moments = MomentsOf(rest);
  const double least =
      kLeastRest * std::max<double>(moments.mean, distance.deviations.empty()
                                                      ? 1e-6
                                                      : distance.deviations.back());
  distance.rest_scale = static_cast<float>(1 / std::max(moments.deviation, least));
  return distance;
}

}  // namespace

void TrustedDistance::Validate() const {
  auto is_finite = [](const auto& values) {
    return std::ranges::all_of(values, [](auto value) { return std::isfinite(value); });
  };
  if (center.empty() || spread.size() != center.size() || num_coordinates() == 0 ||
      directions.size() != num_directions() * dimension() || nearest.empty() ||
      references.empty() || references.size() % num_coordinates() != 0) {
    throw std::invalid_argument("the parts of its distance don't fit each other");
  }
  if (!is_finite(center) || !is_finite(spread) || !is_finite(directions) ||
      !is_finite(deviations) || !is_finite(references) || !is_finite(nearest) ||
      !std::isfinite(rest_scale)) {
    throw std::invalid_argument("its distance holds a non-finite number");
  }
  if (!std::ranges::is_sorted(nearest)) {
    throw std::invalid_argument("the distances of its references are not in order");
  }
}

std::vector<float> TrustedDistance::Measure(const EmbeddingsView& rows, const Execution& execution,
                                            float enough) const {
  const SingleThreadedBlas single_threaded;
  constexpr std::size_t kRowsPerBlock = RowProduct::kRowsPerBlock;
  std::vector<Coordinates> makers(static_cast<std::size_t>(std::max(execution.num_threads, 1)),
                                  Coordinates(*this));
  std::vector<float> distances(rows.num_rows);
  const std::size_t num_blocks = (rows.num_rows + kRowsPerBlock - 1) / kRowsPerBlock;
  ParallelFor(num_blocks, execution, [&](std::size_t block, std::size_t worker) {
    const std::size_t begin = block * kRowsPerBlock;
    const std::size_t count = std::min(kRowsPerBlock, rows.num_rows - begin);
    std::vector<float> coordinates;
    makers[worker].Make(rows.row(begin), count, coordinates);
    for (std::size_t i = 0; i < count; ++i) {
      distances[begin + i] =
          DistanceToNearest(*this, coordinates.data() + i * num_coordinates(), {}, enough);
    }
  });
  return distances;
}

double TrustedDistance::PValue(float distance) const {
  const auto first = std::ranges::lower_bound(nearest, distance);
  return static_cast<double>(nearest.end() - first + 1) / static_cast<double>(num_references() + 1);
}

float TrustedDistance::CutoffAt(double level) const {
  const double reachable = ReachableLevel(level, nearest.size());
  if (reachable > level) {
    const double margin = std::min((reachable - level) / kCoarseLevel, 1.0);
    return static_cast<float>((1 + margin) * nearest.back());
  }
  const double n = static_cast<double>(nearest.size());
  // So many references may lie as far out as a far row does.
  const auto above = static_cast<std::size_t>(std::floor(reachable * (n + 1) + kRounding) - 1);
  return above < nearest.size() ? nearest[nearest.size() - 1 - above] : -1;
}

double ReachableLevel(double level, std::size_t num_references) {
  return std::max(level, 1 / static_cast<double>(num_references + 1));
}

std::optional<TrustedDistance> FitTrustedDistance(const EmbeddingsView& trusted,
                                                  std::span<const std::uint32_t> groups,
                                                  double level, std::uint64_t seed,
                                                  const Execution& execution) {
  std::vector<RowNumbers> order = RowsByGroup(groups, trusted.num_rows);
  if (order.size() < kLeastTrustedRows) return std::nullopt;
  const SingleThreadedBlas single_threaded;
  SeededRandom random(seed);
  random.Shuffle(order);
  // Whole groups: some to A, and then as many to B as the level needs.
  const std::size_t num_a = std::min(trusted.num_rows / 3, kMaxRowsOfA);
  const auto wanted = static_cast<std::size_t>(std::ceil(1 / level - kRounding)) - 1;
  RowNumbers a;
  RowNumbers b;
  std::vector<Range> ranges;
  for (const RowNumbers& rows : order) {
    RowNumbers& to = a.size() < num_a ? a : b;
    if (&to == &b && (ranges.size() >= std::max<std::size_t>(wanted, 1) ||
                      b.size() + rows.size() > kMaxReferences)) {
      break;
    }
    if (&to == &b) ranges.push_back({b.size(), b.size() + rows.size()});
    to.insert(to.end(), rows.begin(), rows.end());
  }
  if (ranges.size() < 2) return std::nullopt;
  TrustedDistance distance = MakeCoordinates(CopyRows(trusted, a), execution);
  if (distance.num_directions() == 0) return std::nullopt;
  const std::size_t num_coordinates = distance.num_coordinates();
  distance.references.resize(b.size() * num_coordinates);
  const std::vector<float> all = CoordinatesOf(distance, CopyRows(trusted, b).view());
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t c = 0; c < num_coordinates; ++c) {
      distance.references[c * b.size() + i] = all[i * num_coordinates + c];
    }
  }
  // Of each group one row, by chance.
  std::vector<std::size_t> chosen;
  for (const Range& range : ranges) {
    const std::size_t count = range.end - range.begin;
    chosen.push_back(range.begin + (count == 1 ? 0 : random.Below(count)));
  }
  distance.nearest.resize(ranges.size());
  ParallelFor(ranges.size(), execution, [&](std::size_t i, std::size_t) {
    distance.nearest[i] =
        DistanceToNearest(distance, all.data() + chosen[i] * num_coordinates, ranges[i], 0);
  });
  std::ranges::sort(distance.nearest);
  return distance;
}

}  // namespace spuna::algorithms
