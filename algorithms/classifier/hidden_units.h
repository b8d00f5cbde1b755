#pragma once

#include <armadillo>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/compute/adam.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {

/// Weights to begin with: normal numbers of this variance.
arma::fmat NormalWeights(std::size_t num_rows, std::size_t num_columns, double variance,
                         SeededRandom& random);

/// Units of a hidden layer (ReLU) while they learn: the weights that lead to them, their biases,
/// the weights that lead on to the outputs, and Adam over all of these. A layer can be cut into
/// several that learn at the same time; only their parts of the outputs must be added. The outputs'
/// own biases are left to the owner. Single-threaded; the owner must hold a SingleThreadedBlas.
class HiddenUnits {
 public:
  /// The first weights: units x inputs, and outputs x units. The biases begin at 0. With a decay
  /// the weights shrink by this share of the step size a step, the biases do not.
  HiddenUnits(const arma::fmat& hidden_weight, const arma::fmat& output_weight,
              double learning_rate, double decay = 0);

  /// The units' part of the outputs, outputs x rows. The rows are columns.
  const arma::fmat& Forward(const arma::fmat& rows);
  /// Takes a step of Adam, from the derivatives of the loss by the outputs of the same rows.
  void Learn(const arma::fmat& rows, const arma::fmat& derivatives);

  /// Whether all weights and biases are.
  bool IsFinite() const;

  std::size_t size() const { return units_; }
  /// Units x inputs, column by column.
  std::span<const float> hidden_weight() const { return {parameters_.data(), bias_at_}; }
  std::span<const float> hidden_bias() const { return {parameters_.data() + bias_at_, units_}; }
  /// Outputs x units, column by column.
  std::span<const float> output_weight() const {
    return {parameters_.data() + output_at_, outputs_ * units_};
  }

 private:
  // The derivatives of the loss by what comes into the units.
  void Backward(const arma::fmat& derivatives);
  // Takes a step with parameters whose derivatives are the first of the gradient.
  void Move(const AdamStep& step, std::size_t begin, std::size_t count);

  std::size_t inputs_;
  std::size_t units_;
  std::size_t outputs_;
  // The places of the biases and of the output weights among the parameters.
  std::size_t bias_at_;
  std::size_t output_at_;
  double learning_rate_;
  double decay_;
  std::vector<float> parameters_;
  AdamMoments moments_;
  std::size_t num_steps_ = 0;
  arma::fmat activations_;
  arma::fmat part_;
  arma::fmat errors_;
  std::vector<float> gradient_;
};

/// The biases of the outputs while they learn. They begin at 0 and do not decay.
class OutputBiases {
 public:
  OutputBiases(std::size_t count, double learning_rate)
      : learning_rate_(learning_rate), values_(count), moments_(count) {}

  const std::vector<float>& values() const { return values_; }
  bool IsFinite() const;

  /// Takes a step of Adam, from the derivatives of the loss by the outputs of some rows.
  void Learn(const arma::fmat& derivatives);

 private:
  double learning_rate_;
  std::vector<float> values_;
  AdamMoments moments_;
  std::size_t num_steps_ = 0;
};

}  // namespace spuna::algorithms
