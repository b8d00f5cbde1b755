#include "algorithms/findings/shift_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/rows/plain_sums.h"

namespace spuna::algorithms {
namespace {

// The root mean square distance of rows from their mean.
double SpreadOf(const RowSet& rows, const std::vector<double>& mean) {
  double square = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < mean.size(); ++j) {
      const double difference = rows[i][j] - mean[j];
      square += difference * difference;
    }
  }
  return std::sqrt(square / static_cast<double>(rows.size()));
}

double Quotient(double value, double unit) {
  if (unit > 0) return value / unit;
  return value > 0 ? std::numeric_limits<double>::infinity() : 0;
}

}  // namespace

ShiftDistance MeasureShiftDistance(const RowSet& trusted, const RowSet& shifted) {
  if (trusted.size() == 0 || shifted.size() == 0) {
    throw std::invalid_argument("a distance needs rows on both sides, but there are " +
                                std::to_string(trusted.size()) + " trusted and " +
                                std::to_string(shifted.size()) + " shifted rows");
  }
  if (trusted.dimension() != shifted.dimension()) {
    throw std::invalid_argument("expected shifted rows of dimension " +
                                std::to_string(trusted.dimension()) + " but found " +
                                std::to_string(shifted.dimension()));
  }
  const std::vector<double> a = MeanRow(trusted);
  const std::vector<double> b = MeanRow(shifted);
  double aa = 0;
  double bb = 0;
  double apart = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    aa += a[j] * a[j];
    bb += b[j] * b[j];
    apart += (a[j] - b[j]) * (a[j] - b[j]);
  }
  ShiftDistance distance;
  if (aa > 0 && bb > 0) {
    // Half the square distance of the unit vectors: exact at 0, where 1 - cosine would round.
    const double a_length = std::sqrt(aa);
    const double b_length = std::sqrt(bb);
    double square = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      const double difference = a[j] / a_length - b[j] / b_length;
      square += difference * difference;
    }
    distance.cosine = std::min(square / 2, 2.0);
  } else {
    distance.cosine = aa > 0 || bb > 0 ? 1 : 0;
  }
  distance.euclidean = std::sqrt(apart);
  distance.trusted_spread = SpreadOf(trusted, a);
  distance.in_spreads = Quotient(distance.euclidean, distance.trusted_spread);
  distance.reach = distance.cosine < kFarCosineDistance ? ShiftReach::kNear : ShiftReach::kFar;
  return distance;
}

}  // namespace spuna::algorithms
