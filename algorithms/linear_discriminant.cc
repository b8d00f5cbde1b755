#include "algorithms/linear_discriminant.h"

#include <algorithm>
#include <cmath>
#include <ensmallen.hpp>

#include "algorithms/soft_network.h"

namespace spuna::algorithms {
namespace {

constexpr double kLargest = 8;
// The strength of the data against the ridge, as in common use.
constexpr double kInverseRidge = 0.01;
constexpr std::size_t kMaxIterations = 200;
constexpr double kSmallestGradient = 1e-5;
constexpr std::size_t kMemory = 10;

// What ensmallen minimizes; the parameters are the weights and then the bias.
class RidgeLogisticLoss {
 public:
  RidgeLogisticLoss(const arma::fmat& rows, std::span<const float> targets,
                    const Execution& execution)
      : rows_(rows), targets_(targets), weights_(BalancedWeights(targets)), execution_(execution) {}

  double EvaluateWithGradient(const arma::mat& parameters, arma::mat& gradient) const {
    execution_.CheckStop();
    const arma::uword dimension = rows_.n_rows;
    const double n = static_cast<double>(rows_.n_cols);
    const arma::vec weight = parameters.head_rows(dimension);
    const arma::frowvec products = arma::conv_to<arma::fvec>::from(weight).t() * rows_;
    arma::fvec errors(rows_.n_cols);
    double loss = 0;
    double error_sum = 0;
    for (arma::uword i = 0; i < rows_.n_cols; ++i) {
      const double logit = products[i] + parameters[dimension];
      const double softplus = std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit)));
      loss += weights_[i] * (softplus - targets_[i] * logit);
      const double error = weights_[i] * (1 / (1 + std::exp(-logit)) - targets_[i]) / n;
      errors[i] = static_cast<float>(error);
      error_sum += error;
    }
    const double ridge = 1 / (kInverseRidge * n);
    gradient.set_size(dimension + 1, 1);
    gradient.head_rows(dimension) =
        arma::conv_to<arma::vec>::from(arma::fvec(rows_ * errors)) + ridge * weight;
    gradient[dimension] = error_sum;
    return loss / n + ridge * arma::dot(weight, weight) / 2;
  }

 private:
  const arma::fmat& rows_;
  std::span<const float> targets_;
  std::vector<float> weights_;
  const Execution& execution_;
};

}  // namespace

std::vector<double> LinearDiscriminant::Logits(const EmbeddingsView& rows) const {
  std::vector<double> logits(rows.num_rows, bias);
  const Standardizer standardizer(standardization, kLargest);
  std::vector<float> standardized(rows.dimension);
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    standardizer.Apply(rows.row(i), standardized.data());
    for (std::size_t j = 0; j < rows.dimension; ++j) logits[i] += weight[j] * standardized[j];
  }
  return logits;
}

LinearDiscriminant FitLinearDiscriminant(const EmbeddingsView& rows, std::span<const float> targets,
                                         const Execution& execution) {
  LinearDiscriminant fitted;
  fitted.standardization = FitStandardization(rows);
  const Standardizer standardizer(fitted.standardization, kLargest);
  arma::fmat standardized(rows.dimension, rows.num_rows);
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    standardizer.Apply(rows.row(i), standardized.colptr(i));
  }
  RidgeLogisticLoss loss(standardized, targets, execution);
  arma::mat parameters(rows.dimension + 1, 1, arma::fill::zeros);
  ens::L_BFGS optimizer(kMemory, kMaxIterations);
  optimizer.MinGradientNorm() = kSmallestGradient;
  optimizer.Optimize(loss, parameters);
  fitted.weight.assign(parameters.begin(), parameters.end() - 1);
  fitted.bias = parameters[rows.dimension];
  return fitted;
}

}  // namespace spuna::algorithms
