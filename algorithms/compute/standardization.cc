#include "algorithms/compute/standardization.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/compute/vector_kernels.h"
#include "algorithms/rows/plain_sums.h"

namespace spuna::algorithms {

Standardization FitStandardization(const RowSet& rows) {
  const std::size_t dimension = rows.dimension();
  Standardization fitted{MeanRow(rows), std::vector<double>(dimension)};
  const double n = static_cast<double>(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < dimension; ++j) {
      const double difference = rows[i][j] - fitted.mean[j];
      fitted.deviation[j] += difference * difference;
    }
  }
  for (double& deviation : fitted.deviation) deviation = std::sqrt(deviation / n);
  return fitted;
}

Standardizer::Standardizer(std::span<const double> mean, std::span<const double> deviation,
                           double largest)
    : mean_(mean), inverse_(deviation.size()), largest_(largest) {
  std::ranges::transform(deviation, inverse_.begin(), [](double value) {
    // The inverse of the smallest numbers is not finite.
    return value == 0 ? 0 : std::min(1 / value, std::numeric_limits<double>::max());
  });
}

void Standardizer::Apply(const float* row, float* standardized) const {
  Kernels().standardize(row, mean_.data(), inverse_.data(), largest_, mean_.size(), standardized);
}

}  // namespace spuna::algorithms
