#include "algorithms/space/contrast_directions.h"

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "algorithms/compute/armadillo_view_internal.h"
#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {

Matrix ContrastDirections(const Matrix& whitened, std::size_t count, Contrast contrast) {
  const arma::fmat rows = AsColumns(whitened.view());
  const arma::mat moment = arma::conv_to<arma::mat>::from(arma::fmat(rows * rows.t())) /
                           static_cast<double>(rows.n_cols);
  arma::vec eigenvalues;
  arma::mat eigenvectors;
  if (!arma::eig_sym(eigenvalues, eigenvectors, moment)) {
    throw std::runtime_error("the second moment of the pool can't be decomposed");
  }
  std::vector<double> likeness(eigenvalues.n_elem);
  for (std::size_t j = 0; j < likeness.size(); ++j) {
    const double logarithm = std::log(std::max(eigenvalues[j], 1e-9));
    likeness[j] = contrast == Contrast::kAnySpread ? -std::abs(logarithm) : -logarithm;
  }
  const RowNumbers order = AscendingOrder(likeness);
  Matrix directions{{}, whitened.dimension};
  for (std::size_t j = 0; j < std::min(count, order.size()); ++j) {
    const auto direction = eigenvectors.col(order[j]);
    for (const double value : direction) directions.values.push_back(static_cast<float>(value));
  }
  return directions;
}

Matrix ProjectOn(const Matrix& rows, const Matrix& directions) {
  const arma::fmat columns = AsColumns(directions.view());
  Matrix projected{std::vector<float>(rows.num_rows() * columns.n_cols), columns.n_cols};
  for (std::size_t i = 0; i < rows.num_rows(); ++i) {
    const arma::fvec row(const_cast<float*>(rows.view().row(i)), rows.dimension, false, true);
    const arma::fvec product = columns.t() * row;
    std::copy(product.begin(), product.end(),
              projected.values.begin() + static_cast<std::ptrdiff_t>(i * columns.n_cols));
  }
  return projected;
}

}  // namespace spuna::algorithms
