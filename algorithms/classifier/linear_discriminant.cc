#include "algorithms/classifier/linear_discriminant.h"

#include <cblas.h>

#include <algorithm>
#include <ensmallen.hpp>
#include <limits>
#include <utility>

#include "algorithms/compute/logistic.h"
#include "algorithms/compute/vector_kernels.h"
#include "algorithms/rows/evenly_taken.h"

namespace spuna::algorithms {
namespace {

constexpr double kLargestStandardized = 8;
// The strength of the data against the ridge, as in common use.
constexpr double kInverseRidge = 0.01;
// Where the curvature is known, the loss is then as close to its minimum as where it is not.
constexpr double kGradientTolerance = 1e-5;
constexpr double kScaledGradientTolerance = 1e-4;
// From which L-BFGS approximates the Hessian.
constexpr std::size_t kNumStoredSteps = 10;

// So many rows stay in the cache between their products and their part of the gradient.
constexpr std::size_t kRowsPerBlock = 64;
// How many rows, besides one a dimension, tell enough of the curvature.
constexpr std::size_t kRowsForCurvature = 3072;
// Of the mean curvature: the least that is taken for one, so that float32 can divide by it.
constexpr double kLeastCurvature = 1e-4;

// Means and deviations as the kernels take them. The rows are put in spreads again each time they
// are needed: no copy of them is kept.
class FloatSpreads {
 public:
  explicit FloatSpreads(const Standardization& standardization)
      : center_(standardization.mean.begin(), standardization.mean.end()) {
    constexpr double kMostInverse = std::numeric_limits<float>::max();
    for (const double deviation : standardization.deviation) {
      inverse_.push_back(
          deviation == 0 ? 0 : static_cast<float>(std::min(1 / deviation, kMostInverse)));
    }
  }

  RowSpreads view() const {
    return {center_.data(), inverse_.data(), static_cast<float>(kLargestStandardized),
            center_.size()};
  }

  // What the weights give more than with means that were not rounded.
  double Surplus(const std::vector<double>& weights, const Standardization& standardization) const {
    double surplus = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      surplus += weights[j] * (standardization.mean[j] - center_[j]) * inverse_[j];
    }
    return surplus;
  }

 private:
  std::vector<float> center_;
  std::vector<float> inverse_;
};

// The Cholesky factor of the loss's second derivatives where all logits are 0, from some of the
// rows: what is minimized over weights times its transpose has nearly the same curvature in all
// directions, and few steps lead to the minimum. The bias stands apart.
class Curvature {
 public:
  Curvature(const RowSet& rows, const RowSpreads& spreads, std::span<const float> weights,
            double ridge)
      : dimension_(rows.dimension()) {
    if (rows.size() < dimension_) return;
    const RowNumbers taken = EvenlyTaken(rows.size(), kRowsForCurvature + dimension_);
    factor_.zeros(dimension_, dimension_);
    arma::fmat block;
    const auto d = static_cast<blasint>(dimension_);
    for (std::size_t begin = 0; begin < taken.size(); begin += kRowsPerProduct) {
      const std::size_t count = std::min(kRowsPerProduct, taken.size() - begin);
      block.zeros(dimension_, count);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t row = taken[begin + i];
        const float factor = std::sqrt(weights[row] / 4 / static_cast<float>(taken.size()));
        Kernels().add_in_spreads(rows.From(row), 1, spreads, &factor, block.colptr(i));
      }
      cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, d, static_cast<blasint>(count), 1.0F,
                  block.memptr(), d, 1.0F, factor_.memptr(), d);
    }
    const double mean = arma::trace(factor_) / static_cast<double>(dimension_);
    factor_.diag() += static_cast<float>(std::max(ridge, kLeastCurvature * mean));
    // Only the lower half is there and taken.
    arma::fmat lower;
    if (!arma::chol(lower, arma::symmatl(factor_), "lower")) lower.reset();
    factor_ = std::move(lower);
  }

  bool IsKnown() const { return !factor_.empty(); }
  // Weights from what is minimized over.
  void ToWeights(arma::fvec& values) const { Solve(CblasTrans, values); }
  // The gradient by what is minimized over from that by the weights.
  void ToGradient(arma::fvec& values) const { Solve(CblasNoTrans, values); }

 private:
  static constexpr std::size_t kRowsPerProduct = 256;

  void Solve(CBLAS_TRANSPOSE transpose, arma::fvec& values) const {
    if (factor_.empty()) return;
    const auto d = static_cast<blasint>(dimension_);
    cblas_strsv(CblasColMajor, CblasLower, transpose, CblasNonUnit, d, factor_.memptr(), d,
                values.memptr(), 1);
  }

  std::size_t dimension_;
  // Empty where there are too few rows.
  arma::fmat factor_;
};

// What ensmallen minimizes; the parameters are the weights, times the transposed factor of the
// curvature, and then the bias.
class RidgeLogisticLoss {
 public:
  RidgeLogisticLoss(const RowSet& rows, const RowSpreads& spreads, const RowTargets& lesson,
                    const Execution& execution)
      : rows_(rows),
        spreads_(spreads),
        lesson_(lesson),
        weights_(BalancedWeights(lesson.targets, lesson.counts)),
        ridge_(1 / (kInverseRidge * static_cast<double>(rows.size()))),
        curvature_(rows, spreads, weights_, ridge_),
        execution_(execution) {}

  bool IsScaled() const { return curvature_.IsKnown(); }

  arma::fvec WeightsOf(const arma::mat& parameters) const {
    arma::fvec weights = arma::conv_to<arma::fvec>::from(parameters.head_rows(rows_.dimension()));
    curvature_.ToWeights(weights);
    return weights;
  }

  double EvaluateWithGradient(const arma::mat& parameters, arma::mat& gradient) const {
    execution_.CheckStop();
    const arma::uword dimension = rows_.dimension();
    const double n = static_cast<double>(rows_.size());
    const arma::fvec weights = WeightsOf(parameters);
    const double bias = parameters[dimension];
    arma::vec by_weights(dimension, arma::fill::zeros);
    arma::fvec of_block(dimension);
    double loss = 0;
    double error_sum = 0;
    std::vector<float> values(kRowsPerBlock);
    for (std::size_t begin = 0; begin < rows_.size(); begin += kRowsPerBlock) {
      const std::size_t count = std::min(kRowsPerBlock, rows_.size() - begin);
      Kernels().products_in_spreads(rows_.From(begin), count, spreads_, weights.memptr(),
                                    values.data());
      for (std::size_t i = 0; i < count; ++i) {
        const float row_weight = weights_[begin + i];
        const float target = lesson_.targets[begin + i];
        const double offset = lesson_.offsets.empty() ? 0 : lesson_.offsets[begin + i];
        const double logit = values[i] + bias + offset;
        loss += row_weight * LogisticLoss(logit, target);
        const double error = row_weight * (Logistic(logit) - target) / n;
        values[i] = static_cast<float>(error);
        error_sum += error;
      }
      of_block.zeros();
      Kernels().add_in_spreads(rows_.From(begin), count, spreads_, values.data(),
                               of_block.memptr());
      by_weights += arma::conv_to<arma::vec>::from(of_block);
    }
    const arma::vec exact = arma::conv_to<arma::vec>::from(weights);
    by_weights += ridge_ * exact;
    arma::fvec rounded = arma::conv_to<arma::fvec>::from(by_weights);
    curvature_.ToGradient(rounded);
    gradient.set_size(dimension + 1, 1);
    gradient.head_rows(dimension) = arma::conv_to<arma::vec>::from(rounded);
    gradient[dimension] = error_sum;
    return loss / n + ridge_ * arma::dot(exact, exact) / 2;
  }

 private:
  const RowSet& rows_;
  RowSpreads spreads_;
  const RowTargets& lesson_;
  std::vector<float> weights_;
  double ridge_;
  Curvature curvature_;
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
  const FloatSpreads spreads(fitted.standardization);
  RidgeLogisticLoss loss(rows, spreads.view(), lesson, execution);
  arma::mat parameters(rows.dimension() + 1, 1, arma::fill::zeros);
  ens::L_BFGS optimizer(kNumStoredSteps, max_iterations);
  optimizer.MinGradientNorm() = loss.IsScaled() ? kScaledGradientTolerance : kGradientTolerance;
  optimizer.Optimize(loss, parameters);
  const arma::fvec weights = loss.WeightsOf(parameters);
  fitted.weight.assign(weights.begin(), weights.end());
  fitted.bias =
      parameters[rows.dimension()] + spreads.Surplus(fitted.weight, fitted.standardization);
  return fitted;
}

}  // namespace spuna::algorithms
