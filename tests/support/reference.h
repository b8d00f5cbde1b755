#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace spuna::test {

/// Rows in float64, as the references want them.
using Rows = std::vector<std::vector<double>>;

/// The method written down plainly and slowly: every distance in float64, every ranking a full
/// sort, every covariance from scratch. What the fast code must agree with.
struct ReferenceOptions {
  std::size_t alpha = 30;
  std::size_t beta = 1500;
  std::size_t k = 100;
  double epsilon = 0;
  bool rollback = false;
};

struct ReferenceExpansion {
  /// 0 none, 1 clean, 2 shifted.
  std::vector<int> labels;
  std::vector<int> rounds;
  std::vector<double> entropy;
  std::size_t num_rounds = 0;
  bool stopped_by_entropy = false;
  /// The smallest gap between the scores on the two sides of a cut, over all cuts of all rounds;
  /// rows of equal embeddings don't count. Below float32 rounding either side of the cut is a fair
  /// answer.
  double smallest_gap = 0;
};

ReferenceExpansion ExpandReference(const Rows& trusted, const Rows& pool,
                                   const ReferenceOptions& options);

/// The score without classifier of every pool row against the final banks, itself left out.
std::vector<double> PoolNeighborScoresReference(const Rows& trusted, const Rows& pool,
                                                const std::vector<int>& labels, std::size_t k);

/// The mean distance to the k nearest of `bank`, `left_out` (or -1) not counted.
double MeanNearestReference(const std::vector<double>& row, const Rows& bank, std::size_t k,
                            std::ptrdiff_t left_out = -1);

double SpectralEntropyReference(const Rows& rows);

/// By comparing every shifted row with every clean row.
double AurocReference(const std::vector<double>& scores, const std::vector<std::uint8_t>& shifted);
/// By trying every score as a threshold.
double AuprReference(const std::vector<double>& scores, const std::vector<std::uint8_t>& shifted);
double Fpr95Reference(const std::vector<double>& scores, const std::vector<std::uint8_t>& shifted);

}  // namespace spuna::test
