// Inlined into the sources that train such a network (distillation.cc, soft_network.cc): no source
// file.
#pragma once

#include <cmath>
#include <cstddef>
#include <mlpack/core.hpp>
#include <mlpack/methods/ann/layer/layer_types.hpp>

#include "algorithms/rows/seeded_random.h"

/// What mlpack's networks of one hidden layer have in common. Included by sources that train one,
/// never by a header.
namespace spuna::algorithms {

/// The first layer. FFN asks each layer for the gradient by its inputs; of the first nobody needs
/// it, and it costs as much as the forward pass.
class FirstLinear : public mlpack::LinearType<arma::fmat> {
 public:
  using mlpack::LinearType<arma::fmat>::LinearType;
  FirstLinear* Clone() const override { return new FirstLinear(*this); }
  void Backward(const arma::fmat&, const arma::fmat&, const arma::fmat&, arma::fmat&) override {}
};

template <typename Network>
void AddHiddenLayer(Network& network, std::size_t hidden, std::size_t num_outputs) {
  network.template Add<FirstLinear>(hidden);
  network.template Add<mlpack::ReLUType<arma::fmat>>();
  network.template Add<mlpack::LinearType<arma::fmat>>(num_outputs);
}

/// mlpack keeps the parameters in one column: for each linear layer its weights, column by column,
/// and its biases.
struct ParameterOffsets {
  std::size_t hidden_bias;
  std::size_t output_weight;
  std::size_t output_bias;
  std::size_t end;

  ParameterOffsets(std::size_t dimension, std::size_t hidden, std::size_t num_outputs)
      : hidden_bias(hidden * dimension),
        output_weight(hidden_bias + hidden),
        output_bias(output_weight + num_outputs * hidden),
        end(output_bias + num_outputs) {}
};

inline void FillNormal(double variance, std::size_t begin, std::size_t end, SeededRandom& random,
                       arma::fmat& parameters) {
  const double deviation = std::sqrt(variance);
  for (std::size_t i = begin; i < end; ++i) {
    parameters[i] = static_cast<float>(deviation * random.Normal());
  }
}

}  // namespace spuna::algorithms
