#include "algorithms/recipe/metric_space.h"

#include <cmath>

#include "algorithms/compute/blas.h"
#include "algorithms/rows/plain_sums.h"
#include "algorithms/space/contrast_directions.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kContrastDimensions = 8;
// How much a deviation of the discriminant counts against the spread of all other coordinates.
constexpr double kDiscriminantScale = 0.5;

// A copy with room for the discriminant, one more coordinate a row.
Matrix CopyWithSpareRoom(const EmbeddingsView& rows) {
  Matrix copy{{}, rows.dimension};
  copy.values.reserve(rows.num_rows * (rows.dimension + 1));
  copy.values.assign(rows.values().begin(), rows.values().end());
  return copy;
}

Matrix Normalized(const EmbeddingsView& rows) {
  Matrix normalized = CopyWithSpareRoom(rows);
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    float* const row = normalized.values.data() + i * rows.dimension;
    const double square = PlainSquaredNorm(row, rows.dimension);
    if (square == 0) continue;
    const double scale = 1 / std::sqrt(square);
    for (std::size_t j = 0; j < rows.dimension; ++j) row[j] = static_cast<float>(row[j] * scale);
  }
  return normalized;
}

double RootMeanSquareDistance(const Matrix& rows) {
  std::vector<double> mean(rows.dimension);
  const double n = static_cast<double>(rows.num_rows());
  for (std::size_t i = 0; i < rows.num_rows(); ++i) {
    for (std::size_t j = 0; j < rows.dimension; ++j) mean[j] += rows.view().row(i)[j] / n;
  }
  double square = 0;
  for (std::size_t i = 0; i < rows.num_rows(); ++i) {
    for (std::size_t j = 0; j < rows.dimension; ++j) {
      const double difference = rows.view().row(i)[j] - mean[j];
      square += difference * difference / n;
    }
  }
  return std::sqrt(square);
}

// Scales the rows and gives each one coordinate more. In place, from the last row on: a second
// copy of the rows would be the largest thing in memory.
void AddCoordinate(Matrix& rows, double scale, const std::vector<double>& scores) {
  const std::size_t narrow = rows.dimension;
  const std::size_t wide = narrow + 1;
  rows.values.resize(scores.size() * wide);
  rows.dimension = wide;
  float* const values = rows.values.data();
  for (std::size_t i = scores.size(); i-- > 0;) {
    values[i * wide + narrow] = static_cast<float>(kDiscriminantScale * scores[i]);
    for (std::size_t j = narrow; j-- > 0;) {
      values[i * wide + j] = static_cast<float>(values[i * narrow + j] * scale);
    }
  }
}

}  // namespace

MetricSpace MakeMetricSpace(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                            Metric metric, const Whitening* whitening,
                            const Discriminant* discriminant, const Execution& execution) {
  const SingleThreadedBlas single_threaded;
  MetricSpace space;
  switch (metric) {
    case Metric::kEuclidean:
      space = {CopyWithSpareRoom(trusted), CopyWithSpareRoom(pool)};
      break;
    case Metric::kCosine:
      space = {Normalized(trusted), Normalized(pool)};
      break;
    case Metric::kWhitened:
    case Metric::kContrast: {
      space = {whitening->Apply(trusted, execution, /*num_spare=*/1),
               whitening->Apply(pool, execution, /*num_spare=*/1)};
      if (metric == Metric::kWhitened) break;
      const Matrix directions =
          ContrastDirections(space.pool, kContrastDimensions, Contrast::kAnySpread);
      space = {ProjectOn(space.trusted, directions), ProjectOn(space.pool, directions)};
      break;
    }
  }
  if (discriminant == nullptr) return space;
  const double spread = RootMeanSquareDistance(space.trusted);
  const double scale = spread > 0 ? 1 / spread : 1;
  AddCoordinate(space.trusted, scale, discriminant->trusted);
  AddCoordinate(space.pool, scale, discriminant->pool);
  return space;
}

}  // namespace spuna::algorithms
