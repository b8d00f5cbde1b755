#include "algorithms/space/linear_projection.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace spuna::algorithms {
namespace {

constexpr std::size_t kRowsPerBlock = 256;

}  // namespace

Matrix LinearProjection::Apply(const RowSet& rows, const Execution& execution) const {
  if (rows.dimension() != dimension()) {
    throw std::invalid_argument("expected rows of dimension " + std::to_string(dimension()) +
                                " but found " + std::to_string(rows.dimension()));
  }
  constexpr double kLargestFloat = std::numeric_limits<float>::max();
  const std::size_t count = num_directions();
  Matrix coordinates{std::vector<float>(rows.size() * count), count};
  ParallelFor((rows.size() + kRowsPerBlock - 1) / kRowsPerBlock, execution,
              [&](std::size_t block, std::size_t) {
                const std::size_t begin = block * kRowsPerBlock;
                const std::size_t end = std::min(begin + kRowsPerBlock, rows.size());
                for (std::size_t i = begin; i < end; ++i) {
                  for (std::size_t k = 0; k < count; ++k) {
                    const double* const direction = directions.data() + k * dimension();
                    double sum = 0;
                    for (std::size_t j = 0; j < dimension(); ++j) {
                      sum += direction[j] * (rows[i][j] - center[j]);
                    }
                    coordinates.values[i * count + k] =
                        static_cast<float>(std::clamp(sum, -kLargestFloat, kLargestFloat));
                  }
                }
              });
  return coordinates;
}

LinearProjection ProjectWhitened(const Whitening& whitening, const Matrix& directions) {
  const std::size_t dimension = whitening.center.size();
  LinearProjection projection{whitening.center,
                              std::vector<double>(directions.num_rows() * dimension)};
  for (std::size_t k = 0; k < directions.num_rows(); ++k) {
    double* const out = projection.directions.data() + k * dimension;
    for (std::size_t j = 0; j < dimension; ++j) {
      const double weight = directions.view().row(k)[j];
      const float* const coordinate = whitening.rotation.data() + j * dimension;
      for (std::size_t i = 0; i < dimension; ++i) out[i] += weight * coordinate[i];
    }
  }
  return projection;
}

}  // namespace spuna::algorithms
