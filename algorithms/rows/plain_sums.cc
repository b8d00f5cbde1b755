#include "algorithms/rows/plain_sums.h"

#include <algorithm>

namespace spuna::algorithms {

double PlainSquaredDistance(const float* a, const float* b, std::size_t dimension) {
  double square = 0;
  for (std::size_t j = 0; j < dimension; ++j) {
    const double difference = static_cast<double>(a[j]) - b[j];
    square += difference * difference;
  }
  return square;
}

double PlainSquaredNorm(const float* row, std::size_t dimension) {
  double square = 0;
  for (std::size_t j = 0; j < dimension; ++j) square += static_cast<double>(row[j]) * row[j];
  return square;
}

std::vector<double> MeanRow(const RowSet& rows) {
  std::vector<double> mean(rows.dimension());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += rows[i][j];
  }
  const auto count = static_cast<double>(std::max<std::size_t>(rows.size(), 1));
  for (double& value : mean) value /= count;
  return mean;
}

}  // namespace spuna::algorithms
