#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/rows/row_set.h"

namespace spuna::algorithms {

/// The mean and deviation of every dimension; a constant dimension has a deviation of 0.
struct Standardization {
  std::vector<double> mean;
  std::vector<double> deviation;
};

/// Of the given rows. In two passes and float64: equal values have a mean of exactly that value and
/// so a deviation of 0.
Standardization FitStandardization(const RowSet& rows);

/// Far beyond any row that was trained on, and far enough from overflow that the products of a
/// finite row stay finite.
inline constexpr double kMaxStandardized = 1e15;

/// Turns rows into (row - mean) / deviation, within ±`largest`; 0 where the deviation is 0.
class Standardizer {
 public:
  /// The mean must outlive it.
  Standardizer(std::span<const double> mean, std::span<const double> deviation,
               double largest = kMaxStandardized);
  explicit Standardizer(const Standardization& fitted, double largest = kMaxStandardized)
      : Standardizer(fitted.mean, fitted.deviation, largest) {}

  void Apply(const float* row, float* standardized) const;

 private:
  std::span<const double> mean_;
  std::vector<double> inverse_;
  double largest_;
};

}  // namespace spuna::algorithms
