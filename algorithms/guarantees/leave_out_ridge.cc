#include <algorithm>

#include "algorithms/compute/standardization.h"
#include "algorithms/guarantees/leave_out_ridge_internal.h"

namespace spuna::algorithms {
namespace {

// In units of a coordinate's mean variance.
constexpr double kRidge = 0.1;
constexpr double kLargestStandardized = 8;
constexpr std::size_t kRowsPerBlock = 1024;
constexpr float kLeastRest = 1e-3F;

// The inverse of I - H for the rows of a group.
arma::fmat InverseRest(const arma::fmat& rows, const arma::fmat& inverse) {
  const arma::fmat explained = rows.t() * arma::fmat(inverse * rows);
  const arma::mat rest =
      arma::eye(rows.n_cols, rows.n_cols) - arma::conv_to<arma::mat>::from(explained);
  arma::vec values;
  arma::mat vectors;
  arma::eig_sym(values, vectors, arma::symmatu(rest));
  values.clamp(kLeastRest, 1);
  return arma::conv_to<arma::fmat>::from(
      arma::mat(vectors * arma::diagmat(1 / values) * vectors.t()));
}

}  // namespace

LeaveOutRidge::LeaveOutRidge(const RowSet& rows, const std::vector<RowNumbers>& groups,
                             const Execution& execution)
    : rows_(rows.dimension(), rows.size()), leverage_(rows.size()) {
  const Standardization standardization = FitStandardization(rows);
  const Standardizer standardizer(standardization, kLargestStandardized);
  for (std::size_t i = 0; i < rows.size(); ++i) standardizer.Apply(rows[i], rows_.colptr(i));
  const std::size_t num_blocks = (rows.size() + kRowsPerBlock - 1) / kRowsPerBlock;
  std::vector<arma::mat> moments(num_blocks);
  const auto block = [&](std::size_t index) {
    return rows_.cols(index * kRowsPerBlock,
                      std::min((index + 1) * kRowsPerBlock, rows.size()) - 1);
  };
  ParallelFor(num_blocks, execution, [&](std::size_t index, std::size_t) {
    const arma::fmat some = block(index);
    moments[index] = arma::conv_to<arma::mat>::from(arma::fmat(some * some.t()));
  });
  arma::mat total = moments[0];
  for (std::size_t index = 1; index < num_blocks; ++index) total += moments[index];
  const double ridge = kRidge * arma::trace(total) / static_cast<double>(rows.dimension());
  total.diag() += ridge > 0 ? ridge : 1;
  inverse_ = arma::conv_to<arma::fmat>::from(arma::mat(arma::inv_sympd(total)));
  ParallelFor(num_blocks, execution, [&](std::size_t index, std::size_t) {
    const arma::fmat some = block(index);
    const arma::frowvec leverage = arma::sum(some % arma::fmat(inverse_ * some), 0);
    std::copy(leverage.begin(), leverage.end(), leverage_.begin() + index * kRowsPerBlock);
  });
  for (const RowNumbers& group : groups) {
    if (group.size() == 1) {
      alone_.push_back(group.front());
    } else {
      groups_.push_back({arma::conv_to<arma::uvec>::from(group), {}});
    }
  }
  ParallelFor(groups_.size(), execution, [&](std::size_t index, std::size_t) {
    Group& group = groups_[index];
    group.inverse_rest = InverseRest(rows_.cols(group.rows), inverse_);
  });
}

arma::fmat LeaveOutRidge::Predict(const arma::fmat& targets) const {
  arma::fmat predictions = rows_.t() * arma::fmat(inverse_ * arma::fmat(rows_ * targets));
  for (arma::uword j = 0; j < targets.n_cols; ++j) {
    for (const std::uint32_t i : alone_) {
      const float rest = std::max(1 - leverage_[i], kLeastRest);
      predictions(i, j) = (predictions(i, j) - leverage_[i] * targets(i, j)) / rest;
    }
  }
  for (const Group& group : groups_) {
    const arma::fmat own = targets.rows(group.rows);
    const arma::fmat explained = predictions.rows(group.rows);
    predictions.rows(group.rows) = own - group.inverse_rest * arma::fmat(own - explained);
  }
  return predictions;
}

}  // namespace spuna::algorithms
