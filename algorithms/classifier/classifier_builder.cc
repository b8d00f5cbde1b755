#include "algorithms/classifier/classifier_builder.h"

#include <algorithm>
#include <armadillo>
#include <utility>

namespace spuna::algorithms {
namespace {

// Weights beyond it would overflow a product.
constexpr double kLargestWeight = 1e18;

}  // namespace

ClassifierBuilder::ClassifierBuilder(const Standardization& standardization) {
  classifier_.dimension = standardization.mean.size();
  classifier_.mean = standardization.mean;
  classifier_.deviation = standardization.deviation;
}

// Whitened rows are rotation * (deviation * standardized + mean - center).
void ClassifierBuilder::AddNetwork(const SoftNetwork& network, const Whitening& whitening,
                                   double scale) {
  const std::size_t d = classifier_.dimension;
  const arma::fmat weight(const_cast<float*>(network.hidden_weight.data()), network.hidden, d,
                          false, true);
  // Row by row in memory is column by column of the transpose.
  const arma::fmat rotation(const_cast<float*>(whitening.rotation.data()), d, d, false, true);
  const arma::mat product =
      arma::conv_to<arma::mat>::from(weight) * arma::conv_to<arma::mat>::from(rotation).t();
  for (std::size_t h = 0; h < network.hidden; ++h) {
    double bias = network.hidden_bias[h];
    for (std::size_t j = 0; j < d; ++j) {
      classifier_.hidden_weight.push_back(static_cast<float>(
          std::clamp(product(h, j) * classifier_.deviation[j], -kLargestWeight, kLargestWeight)));
      bias += product(h, j) * (classifier_.mean[j] - whitening.center[j]);
    }
    AddUnit(bias, scale * network.output_weight[h]);
  }
  bias_ += scale * network.output_bias;
}

void ClassifierBuilder::AddLinear(const LinearDiscriminant& linear, double scale) {
  for (const double sign : {1.0, -1.0}) {
    for (const double weight : linear.weight) {
      classifier_.hidden_weight.push_back(static_cast<float>(sign * weight));
    }
    AddUnit(sign * linear.bias, sign * scale);
  }
}

Classifier ClassifierBuilder::Build(double offset) && {
  classifier_.hidden = output_.size();
  classifier_.output_weight.assign(classifier_.hidden, 0.0F);
  classifier_.output_weight.insert(classifier_.output_weight.end(), output_.begin(), output_.end());
  classifier_.output_bias = {0.0F, static_cast<float>(bias_ + offset)};
  classifier_.Validate();
  return std::move(classifier_);
}

void ClassifierBuilder::AddUnit(double bias, double output) {
  classifier_.hidden_bias.push_back(static_cast<float>(bias));
  output_.push_back(static_cast<float>(output));
}

}  // namespace spuna::algorithms
