#include "algorithms/classifier/linear_discriminant.h"

#include <algorithm>
#include <ensmallen.hpp>
#include <utility>

#include "algorithms/compute/logistic.h"

namespace spuna::algorithms {
namespace {

constexpr double kLargestStandardized = 8;
// The strength of the data against the ridge, as in common use.
constexpr double kInverseRidge = 0.01;
constexpr double kGradientTolerance = 1e-5;
// From which L-BFGS approximates the Hessian.
constexpr std::size_t kNumStoredSteps = 10;

// Rows are standardized a block at a time, each time they are needed: no copy of them is kept.
constexpr std::size_t kRowsPerBlock = 256;

// Calls `visit(first row, block)` with the standardized rows, one a column.
template <typename Visit>
void ForEachBlock(const RowSet& rows, const Standardizer& standardizer, Visit visit) {
  arma::fmat block;
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowsPerBlock) {
    const std::size_t count = std::min(kRowsPerBlock, rows.size() - begin);
    block.set_size(rows.dimension(), count);
    for (std::size_t i = 0; i < count; ++i) standardizer.Apply(rows[begin + i], block.colptr(i));
    visit(begin, std::as_const(block));
  }
}

// What ensmallen minimizes; the parameters are the weights and then the bias.
class RidgeLogisticLoss {
 public:
  RidgeLogisticLoss(const RowSet& rows, const Standardizer& standardizer, const RowTargets& lesson,
                    const Execution& execution)
      : rows_(rows),
        standardizer_(standardizer),
        lesson_(lesson),
        weights_(BalancedWeights(lesson.targets, lesson.counts)),
        execution_(execution) {}

  double EvaluateWithGradient(const arma::mat& parameters, arma::mat& gradient) const {
    execution_.CheckStop();
    const arma::uword dimension = rows_.dimension();
    const double n = static_cast<double>(rows_.size());
    const arma::vec weight = parameters.head_rows(dimension);
    const arma::frowvec weight_row = arma::conv_to<arma::fvec>::from(weight).t();
    const double bias = parameters[dimension];
    gradient.zeros(dimension + 1, 1);
    double loss = 0;
    double error_sum = 0;
    arma::fvec errors;
    ForEachBlock(rows_, standardizer_, [&](std::size_t begin, const arma::fmat& block) {
      const arma::frowvec products = weight_row * block;
      errors.set_size(block.n_cols);
      for (arma::uword i = 0; i < block.n_cols; ++i) {
        const float row_weight = weights_[begin + i];
        const float target = lesson_.targets[begin + i];
        const double offset = lesson_.offsets.empty() ? 0 : lesson_.offsets[begin + i];
        const double logit = products[i] + bias + offset;
        loss += row_weight * LogisticLoss(logit, target);
        const double error = row_weight * (Logistic(logit) - target) / n;
        errors[i] = static_cast<float>(error);
        error_sum += error;
      }
      gradient.head_rows(dimension) += arma::conv_to<arma::vec>::from(arma::fvec(block * errors));
    });
    const double ridge = 1 / (kInverseRidge * n);
    gradient.head_rows(dimension) += ridge * weight;
    gradient[dimension] = error_sum;
    return loss / n + ridge * arma::dot(weight, weight) / 2;
  }

 private:
  const RowSet& rows_;
  const Standardizer& standardizer_;
  const RowTargets& lesson_;
  std::vector<float> weights_;
  const Execution& execution_;
};

}  // namespace

std::vector<double> LinearDiscriminant::Logits(const RowSet& rows) const {
  std::vector<double> logits(rows.size(), bias);
  const Standardizer standardizer(standardization, kLargestStandardized);
  std::vector<float> standardized(rows.dimension());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    standardizer.Apply(rows[i], standardized.data());
    for (std::size_t j = 0; j < rows.dimension(); ++j) logits[i] += weight[j] * standardized[j];
  }
  return logits;
}

LinearDiscriminant FitLinearDiscriminant(const RowSet& rows, const RowTargets& lesson,
                                         const Execution& execution, std::size_t max_iterations) {
  LinearDiscriminant fitted;
  fitted.standardization = FitStandardization(rows);
  const Standardizer standardizer(fitted.standardization, kLargestStandardized);
  RidgeLogisticLoss loss(rows, standardizer, lesson, execution);
  arma::mat parameters(rows.dimension() + 1, 1, arma::fill::zeros);
  ens::L_BFGS optimizer(kNumStoredSteps, max_iterations);
  optimizer.MinGradientNorm() = kGradientTolerance;
  optimizer.Optimize(loss, parameters);
  fitted.weight.assign(parameters.begin(), parameters.end() - 1);
  fitted.bias = parameters[rows.dimension()];
  return fitted;
}

}  // namespace spuna::algorithms
