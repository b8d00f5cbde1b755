#include "algorithms/distillation.h"

#include <algorithm>
#include <cmath>
#include <mlpack/core.hpp>
#include <mlpack/methods/ann/ffn.hpp>
#include <mlpack/methods/ann/init_rules/init_rules.hpp>
#include <mlpack/methods/ann/layer/layer_types.hpp>
#include <mlpack/methods/ann/loss_functions/loss_functions.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/banks.h"
#include "algorithms/blas.h"
#include "algorithms/format_number.h"
#include "algorithms/seeded_random.h"
#include "algorithms/standardization.h"

namespace spuna::algorithms {
namespace {

using Loss = mlpack::NegativeLogLikelihoodType<arma::fmat>;
using Network = mlpack::FFN<Loss, mlpack::ConstInitialization, arma::fmat>;
using Linear = mlpack::LinearType<arma::fmat>;

// The standardized training rows: the clean ones first.
struct TrainingRows {
  arma::fmat inputs;
  std::size_t num_clean = 0;

  float label(std::size_t row) const { return row < num_clean ? 0.0F : 1.0F; }
};

TrainingRows StandardizedRows(const Banks& banks, const Standardization& standardization) {
  TrainingRows rows;
  rows.num_clean = banks.clean.num_rows();
  rows.inputs.set_size(banks.clean.dimension, banks.clean.num_rows() + banks.shifted.num_rows());
  arma::uword column = 0;
  for (const EmbeddingsView& part : {banks.clean.view(), banks.shifted.view()}) {
    for (std::size_t i = 0; i < part.num_rows; ++i) {
      Standardize(part.row(i), standardization.mean, standardization.deviation,
                  rows.inputs.colptr(column++));
    }
  }
  return rows;
}

// What ensmallen minimizes: the network's loss over batches in an order that our seed decides.
class DistillationLoss {
 public:
  DistillationLoss(Network& network, const TrainingRows& rows, SeededRandom& random)
      : network_(network), rows_(rows), random_(random), order_(AllRows(rows.inputs.n_cols)) {
    Shuffle();
  }

  std::size_t NumFunctions() const { return order_.size(); }
  void Shuffle() { random_.Shuffle(order_); }

  // ensmallen asks for it, though Adam never calls it.
  float Evaluate(const arma::fmat& parameters, std::size_t begin, std::size_t batch_size) {
    arma::fmat unused;
    return EvaluateWithGradient(parameters, begin, unused, batch_size);
  }

  float EvaluateWithGradient(const arma::fmat& parameters, std::size_t begin, arma::fmat& gradient,
                             std::size_t batch_size) {
    arma::fmat inputs(rows_.inputs.n_rows, batch_size);
    arma::fmat labels(1, batch_size);
    for (std::size_t i = 0; i < batch_size; ++i) {
      const std::uint32_t row = order_[begin + i];
      std::copy_n(rows_.inputs.colptr(row), inputs.n_rows, inputs.colptr(i));
      labels(0, i) = rows_.label(row);
    }
    network_.ResetData(std::move(inputs), std::move(labels));
    return network_.EvaluateWithGradient(parameters, 0, gradient, batch_size);
  }

 private:
  Network& network_;
  const TrainingRows& rows_;
  SeededRandom& random_;
  RowNumbers order_;
};

// Stops the optimizer when asked to, and tells how far it is.
class TrainingObserver {
 public:
  TrainingObserver(const Execution& execution, std::size_t num_steps)
      : execution_(execution), num_steps_(num_steps) {}

  template <typename Optimizer, typename Function, typename Parameters>
  bool StepTaken(Optimizer&, Function&, Parameters&) {
    execution_.Report({Stage::kDistill, ++step_, num_steps_});
    return execution_.should_stop && execution_.should_stop();
  }

 private:
  const Execution& execution_;
  std::size_t num_steps_;
  std::size_t step_ = 0;
};

// mlpack keeps the parameters in one column: for each linear layer its weights, column by column,
// and its biases.
struct ParameterOffsets {
  std::size_t hidden_bias;
  std::size_t output_weight;
  std::size_t output_bias;

  ParameterOffsets(std::size_t dimension, std::size_t hidden)
      : hidden_bias(hidden * dimension),
        output_weight(hidden_bias + hidden),
        output_bias(output_weight + 2 * hidden) {}
};

// He initialization: normal weights of variance 2 / inputs, biases of 0.
void InitializeHe(std::size_t dimension, std::size_t hidden, SeededRandom& random,
                  arma::fmat& parameters) {
  const ParameterOffsets at(dimension, hidden);
  parameters.zeros();
  auto fill = [&](std::size_t begin, std::size_t end, std::size_t num_inputs) {
    const double deviation = std::sqrt(2.0 / static_cast<double>(num_inputs));
    for (std::size_t i = begin; i < end; ++i) {
      parameters[i] = static_cast<float>(deviation * random.Normal());
    }
  };
  fill(0, at.hidden_bias, dimension);
  fill(at.output_weight, at.output_bias, hidden);
}

Classifier MakeClassifier(std::size_t dimension, std::size_t hidden,
                          Standardization standardization, const arma::fmat& parameters) {
  const ParameterOffsets at(dimension, hidden);
  auto transposed = [&](std::size_t offset, std::size_t num_rows, std::size_t num_columns) {
    std::vector<float> weights(num_rows * num_columns);
    for (std::size_t row = 0; row < num_rows; ++row) {
      for (std::size_t column = 0; column < num_columns; ++column) {
        weights[row * num_columns + column] = parameters[offset + column * num_rows + row];
      }
    }
    return weights;
  };
  auto copied = [&](std::size_t offset, std::size_t count) {
    return std::vector<float>(parameters.memptr() + offset, parameters.memptr() + offset + count);
  };
  Classifier classifier;
  classifier.dimension = dimension;
  classifier.hidden = hidden;
  classifier.mean = std::move(standardization.mean);
  classifier.deviation = std::move(standardization.deviation);
  classifier.hidden_weight = transposed(0, hidden, dimension);
  classifier.hidden_bias = copied(at.hidden_bias, hidden);
  classifier.output_weight = transposed(at.output_weight, 2, hidden);
  classifier.output_bias = copied(at.output_bias, 2);
  return classifier;
}

// Training can end in a network that says the same of every row (mlpack issue 3477).
void RequireVaryingOutput(const Classifier& classifier, const Banks& banks,
                          const Execution& execution) {
  float lowest = 1;
  float highest = 0;
  for (const EmbeddingsView& rows : {banks.clean.view(), banks.shifted.view()}) {
    for (const float score : classifier.Score(rows, execution)) {
      lowest = std::min(lowest, score);
      highest = std::max(highest, score);
    }
  }
  if (lowest < highest) return;
  throw std::runtime_error("the distilled network gives every training row the same score, " +
                           FormatNumber(lowest) +
                           "; try another `seed`, more `hidden` units or more `epochs`");
}

}  // namespace

void DistillationOptions::Validate() const {
  if (hidden < 1 || epochs < 1 || batch_size < 1) {
    throw std::invalid_argument("`hidden`, `epochs` and `batch-size` must be at least 1, but are " +
                                std::to_string(hidden) + ", " + std::to_string(epochs) + " and " +
                                std::to_string(batch_size));
  }
  if (!(std::isfinite(learning_rate) && learning_rate > 0)) {
    throw std::invalid_argument("`learning-rate` must be a positive number, but is " +
                                FormatNumber(learning_rate));
  }
}

Classifier Distill(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                   const Expansion& expansion, const DistillationOptions& options,
                   const Execution& execution) {
  options.Validate();
  const SingleThreadedBlas single_threaded;
  const Banks banks = MakeBanks(trusted, pool, expansion);
  Standardization standardization = FitStandardization({banks.clean.view(), banks.shifted.view()});
  const TrainingRows rows = StandardizedRows(banks, standardization);

  Network network(Loss(/*reduction=*/false));
  network.Add<Linear>(options.hidden);
  network.Add<mlpack::ReLUType<arma::fmat>>();
  network.Add<Linear>(2);
  network.Add<mlpack::LogSoftMaxType<arma::fmat>>();
  network.Reset(pool.dimension);
  SeededRandom random(options.seed);
  InitializeHe(pool.dimension, options.hidden, random, network.Parameters());

  DistillationLoss loss(network, rows, random);
  const std::size_t num_rows = rows.inputs.n_cols;
  const std::size_t batch_size = std::min(options.batch_size, num_rows);
  ens::Adam adam(options.learning_rate, batch_size);
  adam.MaxIterations() = options.epochs * num_rows;
  adam.Tolerance() = -1;  // Every epoch is run.
  TrainingObserver observer(execution, options.epochs * ((num_rows + batch_size - 1) / batch_size));
  const float final_loss = adam.Optimize(loss, network.Parameters(), observer);
  execution.CheckStop();
  if (!std::isfinite(final_loss) || !network.Parameters().is_finite()) {
    throw std::runtime_error("the distillation diverged; lower `learning-rate`, now " +
                             FormatNumber(options.learning_rate));
  }
  Classifier classifier = MakeClassifier(pool.dimension, options.hidden, std::move(standardization),
                                         network.Parameters());
  RequireVaryingOutput(classifier, banks, execution);
  return classifier;
}

}  // namespace spuna::algorithms
