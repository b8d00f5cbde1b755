#include "algorithms/findings/embedding_plane.h"

#include <armadillo>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/compute/armadillo_view_internal.h"
#include "algorithms/compute/blas.h"
#include "algorithms/rows/evenly_taken.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kMaxTrustedRows = 5000;
constexpr std::size_t kMaxPoolRows = 20000;

// The eigenvector of the largest eigenvalue, its largest coordinate positive.
arma::vec LargestDirection(const arma::mat& covariance) {
  arma::vec eigenvalues;
  arma::mat eigenvectors;
  if (!arma::eig_sym(eigenvalues, eigenvectors, covariance)) {
    throw std::runtime_error("the covariance of the rows can't be decomposed");
  }
  const arma::vec direction = eigenvectors.tail_cols(1);
  return direction[arma::abs(direction).index_max()] < 0 ? arma::vec(-direction) : direction;
}

// The covariance without what lies along a direction of length 1. What is orthogonal to it keeps an
// eigenvalue of at least 0 and the direction gets one below, so that it is never the largest again.
arma::mat WithoutDirection(const arma::mat& covariance, const arma::vec& direction) {
  const arma::mat projector =
      arma::eye(covariance.n_rows, covariance.n_cols) - direction * direction.t();
  const arma::mat rest = projector * covariance * projector;
  const double below = 1 + arma::trace(covariance);
  return arma::symmatu(rest) - below * direction * direction.t();
}

void CheckShapes(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                 std::span<const std::uint8_t> shifted, const Whitening& whitening) {
  const std::size_t dimension = whitening.center.size();
  if (trusted.dimension != dimension || pool.dimension != dimension) {
    throw std::invalid_argument(
        "expected trusted and pool rows of dimension " + std::to_string(dimension) + " but found " +
        std::to_string(trusted.dimension) + " and " + std::to_string(pool.dimension));
  }
  if (shifted.size() != pool.num_rows) {
    throw std::invalid_argument("expected " + std::to_string(pool.num_rows) +
                                " marks of shifted rows, one a pool row, but found " +
                                std::to_string(shifted.size()));
  }
}

}  // namespace

Plane FindPlane(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                std::span<const std::uint8_t> shifted, const Whitening& whitening,
                const Execution& execution) {
  CheckShapes(trusted, pool, shifted, whitening);
  const std::size_t dimension = whitening.center.size();
  Plane plane;
  if (dimension == 0) {
    plane.axes = {PlaneAxis::kNone, PlaneAxis::kNone};
    return plane;
  }
  const SingleThreadedBlas single_threaded;
  RowSet rows = EvenlyTaken(trusted, kMaxTrustedRows);
  std::vector<std::uint8_t> is_shifted(rows.size(), 0);
  for (const std::uint32_t row : EvenlyTaken(pool.num_rows, kMaxPoolRows)) {
    rows.Add(pool.row(row));
    is_shifted.push_back(shifted[row]);
  }
  const Matrix whitened = whitening.Apply(rows, execution);
  arma::vec shifted_sum(dimension);
  arma::vec other_sum(dimension);
  double num_shifted = 0;
  double num_other = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    arma::vec& sum = is_shifted[i] != 0 ? shifted_sum : other_sum;
    for (std::size_t j = 0; j < dimension; ++j) sum[j] += whitened.view().row(i)[j];
    (is_shifted[i] != 0 ? num_shifted : num_other) += 1;
  }
  arma::mat covariance(dimension, dimension);
  if (!is_shifted.empty()) {
    const arma::fmat columns = AsColumns(whitened.view());
    const double n = num_shifted + num_other;
    const arma::vec mean = (shifted_sum + other_sum) / n;
    covariance = arma::conv_to<arma::mat>::from(arma::fmat(columns * columns.t())) / n;
    covariance -= mean * mean.t();
  }

  arma::vec first;
  if (num_shifted > 0 && num_other > 0) {
    first = shifted_sum / num_shifted - other_sum / num_other;
  }
  const double length = first.is_empty() ? 0 : arma::norm(first);
  if (length > 0) {
    first /= length;
    plane.axes[0] = PlaneAxis::kDiscriminant;
  } else {
    first = LargestDirection(covariance);
  }
  arma::vec second(dimension);
  if (dimension > 1) {
    second = LargestDirection(WithoutDirection(covariance, first));
  } else {
    plane.axes[1] = PlaneAxis::kNone;
  }
  Matrix directions{{}, dimension};
  for (const arma::vec* direction : {&first, &second}) {
    for (const double value : *direction) directions.values.push_back(static_cast<float>(value));
  }
  plane.projection = ProjectWhitened(whitening, directions);
  return plane;
}

}  // namespace spuna::algorithms
