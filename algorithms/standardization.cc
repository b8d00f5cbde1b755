#include "algorithms/standardization.h"

#include <algorithm>
#include <cmath>

namespace spuna::algorithms {

Standardization FitStandardization(std::initializer_list<EmbeddingsView> parts) {
  const std::size_t dimension = parts.begin()->dimension;
  Standardization fitted{std::vector<double>(dimension), std::vector<double>(dimension)};
  double n = 0;
  for (const EmbeddingsView& rows : parts) {
    n += static_cast<double>(rows.num_rows);
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      for (std::size_t j = 0; j < dimension; ++j) fitted.mean[j] += rows.row(i)[j];
    }
  }
  for (double& mean : fitted.mean) mean /= n;
  for (const EmbeddingsView& rows : parts) {
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      for (std::size_t j = 0; j < dimension; ++j) {
        const double difference = rows.row(i)[j] - fitted.mean[j];
        fitted.deviation[j] += difference * difference;
      }
    }
  }
  for (double& deviation : fitted.deviation) deviation = std::sqrt(deviation / n);
  return fitted;
}

void Standardize(const float* row, std::span<const double> mean, std::span<const double> deviation,
                 float* standardized, double largest) {
  for (std::size_t j = 0; j < mean.size(); ++j) {
    const double value = deviation[j] == 0 ? 0 : (row[j] - mean[j]) / deviation[j];
    standardized[j] = static_cast<float>(std::clamp(value, -largest, largest));
  }
}

}  // namespace spuna::algorithms
