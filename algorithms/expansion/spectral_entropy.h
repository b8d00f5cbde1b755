#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// The spectral entropy of a growing set of rows:
///
///     H = - sum_i lambda_i ln lambda_i
///
/// over the eigenvalues of the rows' covariance (divided by n), normalized to sum to 1. Zero and
/// rounding-negative eigenvalues contribute nothing; rows without any spread have H = 0.
///
/// The sum of outer products is updated with the added rows alone. While there are fewer rows than
/// dimensions, the rows themselves are kept and the smaller Gram matrix gives the same eigenvalues.
class SpectralEntropy {
 public:
  explicit SpectralEntropy(std::size_t dimension);
  ~SpectralEntropy();

  /// Adds the given rows.
  void Add(const EmbeddingsView& embeddings, std::span<const std::uint32_t> rows);

  /// H of all rows added so far; there must be at least one.
  double Value() const;

 private:
  struct Moments;
  std::unique_ptr<Moments> moments_;
};

/// H of eigenvalues that need not be normalized.
double EntropyOfSpectrum(std::span<const double> eigenvalues);

}  // namespace spuna::algorithms
