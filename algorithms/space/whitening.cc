#include "algorithms/space/whitening.h"

#include <cblas.h>

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <stdexcept>

#include "algorithms/compute/blas.h"
#include "algorithms/rows/plain_sums.h"

namespace spuna::algorithms {
namespace {

// How far out a row may be, in medians or in deviations.
constexpr double kMaxDistance = 3;
constexpr int kCenterSteps = 5;
// Beyond it products of float32 overflow.
constexpr double kLargestScale = 1e18;
constexpr std::size_t kRowsPerBlock = 512;

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What to multiply the distance of each row from the center by, so that none is too far out.
std::vector<double> OutlierFactors(const arma::mat& centered) {
  std::vector<double> distances(centered.n_cols);
  for (arma::uword i = 0; i < centered.n_cols; ++i) {
    distances[i] = std::sqrt(arma::dot(centered.col(i), centered.col(i)));
  }
  // Where half of the rows are alike, the mean distance stands in for the median.
  double typical = Median(distances);
  if (typical == 0) typical = arma::mean(arma::vec(distances));
  for (double& distance : distances) {
    distance = distance > kMaxDistance * typical ? kMaxDistance * typical / distance : 1;
  }
  return distances;
}

arma::vec CoordinateMedians(const arma::mat& rows) {
  arma::vec medians(rows.n_rows);
  for (arma::uword j = 0; j < rows.n_rows; ++j) {
    medians[j] = Median(arma::conv_to<std::vector<double>>::from(rows.row(j)));
  }
  return medians;
}

}  // namespace

Whitening FitWhitening(const RowSet& rows) {
  if (rows.size() == 0) throw std::invalid_argument("there are no rows to whiten");
  const SingleThreadedBlas single_threaded;
  const arma::uword dimension = rows.dimension();
  const double n = static_cast<double>(rows.size());
  arma::mat all(dimension, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(rows[i], dimension, all.colptr(i));

  arma::vec center = CoordinateMedians(all);
  for (int step = 0; step < kCenterSteps; ++step) {
    const arma::mat centered = all.each_col() - center;
    const std::vector<double> factors = OutlierFactors(centered);
    center += centered * arma::vec(factors) / n;
  }
  all.each_col() -= center;
  const std::vector<double> factors = OutlierFactors(all);
  for (arma::uword i = 0; i < all.n_cols; ++i) all.col(i) *= factors[i];

  arma::mat covariance = all * all.t() / n;
  const double p = static_cast<double>(dimension);
  const double level = arma::trace(covariance) / p;
  Whitening whitening;
  whitening.center.assign(center.begin(), center.end());
  whitening.rotation.assign(dimension * dimension, 0.0F);
  if (!(level > 0)) {
    for (std::size_t j = 0; j < dimension; ++j) whitening.rotation[j * dimension + j] = 1;
    whitening.shrinkage = 1;
    return whitening;
  }
  // Ledoit and Wolf, "A well-conditioned estimator for large-dimensional covariance matrices".
  double fourth = 0;
  for (arma::uword i = 0; i < all.n_cols; ++i) {
    const double square = arma::dot(all.col(i), all.col(i));
    fourth += square * square;
  }
  const double frobenius = arma::accu(arma::square(covariance));
  const double spread = frobenius - p * level * level;
  const double noise = (fourth / n - frobenius) / n;
  whitening.shrinkage = spread > 0 ? std::clamp(noise / spread, 1e-6, 1.0) : 1;
  covariance *= 1 - whitening.shrinkage;
  covariance.diag() += whitening.shrinkage * level;

  arma::vec eigenvalues;
  arma::mat eigenvectors;
  if (!arma::eig_sym(eigenvalues, eigenvectors, covariance)) {
    throw std::runtime_error("the covariance of the trusted rows can't be decomposed");
  }
  for (std::size_t j = 0; j < dimension; ++j) {
    const double scale =
        std::min(1 / std::sqrt(std::max(eigenvalues[j], 1e-9 * level)), kLargestScale);
    for (std::size_t i = 0; i < dimension; ++i) {
      whitening.rotation[j * dimension + i] = static_cast<float>(eigenvectors(i, j) * scale);
    }
  }
  return whitening;
}

Matrix Whitening::Apply(const RowSet& rows, const Execution& execution,
                        std::size_t num_spare) const {
  const SingleThreadedBlas single_threaded;
  const std::size_t dimension = center.size();
  Matrix whitened{{}, dimension};
  whitened.values.reserve(rows.size() * (dimension + num_spare));
  whitened.values.resize(rows.size() * dimension);
  const std::size_t num_blocks = (rows.size() + kRowsPerBlock - 1) / kRowsPerBlock;
  const double farthest = kMaxDistance * std::sqrt(static_cast<double>(dimension));
  ParallelFor(num_blocks, execution, [&](std::size_t block, std::size_t) {
    const std::size_t begin = block * kRowsPerBlock;
    const std::size_t count = std::min(kRowsPerBlock, rows.size() - begin);
    std::vector<float> centered(count * dimension);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < dimension; ++j) {
        centered[i * dimension + j] = static_cast<float>(rows[begin + i][j] - center[j]);
      }
    }
    float* const out = whitened.values.data() + begin * dimension;
    const auto d = static_cast<blasint>(dimension);
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, d, static_cast<blasint>(count), d, 1.0F,
                rotation.data(), d, centered.data(), d, 0.0F, out, d);
    for (std::size_t i = 0; i < count; ++i) {
      float* const row = out + i * dimension;
      const double distance = std::sqrt(PlainSquaredNorm(row, dimension));
      if (distance <= farthest) continue;
      // A distance beyond all numbers leaves no direction to keep.
      const auto factor = static_cast<float>(farthest / distance);
      for (std::size_t j = 0; j < dimension; ++j) {
        row[j] = std::isfinite(row[j] * factor) ? row[j] * factor : 0.0F;
      }
    }
  });
  return whitened;
}

}  // namespace spuna::algorithms
