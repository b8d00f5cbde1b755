#include "algorithms/expansion/spectral_entropy.h"

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <stdexcept>

#include "algorithms/compute/blas.h"

namespace spuna::algorithms {
namespace {

// Rows that are turned to float64 at a time.
constexpr std::size_t kRowsPerBlock = 256;

}  // namespace

struct SpectralEntropy::Moments {
  std::size_t num_rows = 0;
  // Subtracted from every row before anything is summed, so that a mean far from zero costs no
  // digits. It is the mean of the rows added first; equal rows then give sums of exactly zero.
  arma::vec offset;
  arma::vec sum;
  // While num_rows < dimension: the rows less the offset. Later: empty.
  arma::mat rows;
  // From num_rows >= dimension on: the sum of outer products of the rows less the offset.
  arma::mat outer_products;

  std::size_t dimension() const { return sum.n_elem; }
};

SpectralEntropy::SpectralEntropy(std::size_t dimension) : moments_(std::make_unique<Moments>()) {
  moments_->sum.zeros(dimension);
}
SpectralEntropy::~SpectralEntropy() = default;

void SpectralEntropy::Add(const EmbeddingsView& embeddings, std::span<const std::uint32_t> rows) {
  const SingleThreadedBlas single_threaded;
  Moments& m = *moments_;
  const std::size_t dimension = m.dimension();

  auto as_double = [&](std::span<const std::uint32_t> some) {
    arma::mat block(dimension, some.size());
    for (std::size_t i = 0; i < some.size(); ++i) {
      std::copy_n(embeddings.row(some[i]), dimension, block.colptr(i));
    }
    return block;
  };
  if (m.num_rows == 0) {
    m.offset.zeros(dimension);
    for (const std::uint32_t row : rows) {
      for (std::size_t j = 0; j < dimension; ++j) m.offset[j] += embeddings.row(row)[j];
    }
    m.offset /= static_cast<double>(rows.size());
  }

  const bool keeps_rows = m.num_rows + rows.size() < dimension;
  if (!keeps_rows && m.outer_products.empty()) {
    m.outer_products.zeros(dimension, dimension);
    if (!m.rows.empty()) m.outer_products += m.rows * m.rows.t();
    m.rows.reset();
  }
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowsPerBlock) {
    arma::mat block = as_double(rows.subspan(begin, std::min(kRowsPerBlock, rows.size() - begin)));
    block.each_col() -= m.offset;
    m.sum += arma::sum(block, 1);
    if (keeps_rows) {
      m.rows = arma::join_rows(m.rows, block);
    } else {
      m.outer_products += block * block.t();
    }
  }
  m.num_rows += rows.size();
}

double SpectralEntropy::Value() const {
  const SingleThreadedBlas single_threaded;
  const Moments& m = *moments_;
  const double n = static_cast<double>(m.num_rows);
  const arma::vec mean = m.sum / n;
  arma::mat smaller;
  if (m.outer_products.empty()) {
    const arma::mat centered = m.rows.each_col() - mean;
    smaller = centered.t() * centered;
    smaller /= n;
  } else {
    smaller = m.outer_products / n - mean * mean.t();
  }
  // Eigenvalues are compared to their sum only, so the scale is free: this one keeps them in range.
  const double largest = smaller.diag().max();
  if (!(largest > 0)) return 0;
  smaller /= largest;
  arma::vec eigenvalues;
  if (!arma::eig_sym(eigenvalues, arma::symmatu(smaller))) {
    throw std::runtime_error(
        "the eigenvalues of the covariance of the pseudo-shifted rows could not "
        "be computed");
  }
  return EntropyOfSpectrum({eigenvalues.memptr(), eigenvalues.n_elem});
}

double EntropyOfSpectrum(std::span<const double> eigenvalues) {
  double total = 0;
  for (const double value : eigenvalues) total += std::max(value, 0.0);
  if (!(total > 0)) return 0;
  double entropy = 0;
  for (const double value : eigenvalues) {
    if (value > 0) entropy -= value / total * std::log(value / total);
  }
  return entropy;
}

}  // namespace spuna::algorithms
