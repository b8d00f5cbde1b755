#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "algorithms/embeddings_view.h"

namespace spuna::algorithms {

/// The mean and deviation of every dimension; a constant dimension has a deviation of 0.
struct Standardization {
  std::vector<double> mean;
  std::vector<double> deviation;
};

/// Of all rows of the parts. In two passes and float64: equal values have a mean of exactly that
/// value and so a deviation of 0.
Standardization FitStandardization(std::initializer_list<EmbeddingsView> parts);

/// Far beyond any row that was trained on, and far enough from overflow that the products of a
/// finite row stay finite.
inline constexpr double kMaxStandardized = 1e15;

/// Writes (row - mean) / deviation, within ±`largest`; 0 where the deviation is 0.
void Standardize(const float* row, std::span<const double> mean, std::span<const double> deviation,
                 float* standardized, double largest = kMaxStandardized);

}  // namespace spuna::algorithms
