#include "algorithms/classifier/distillation.h"

#include <algorithm>
#include <cmath>
#include <mlpack/core.hpp>
#include <mlpack/methods/ann/ffn.hpp>
#include <mlpack/methods/ann/init_rules/init_rules.hpp>
#include <mlpack/methods/ann/layer/layer_types.hpp>
#include <mlpack/methods/ann/loss_functions/loss_functions.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/classifier/hidden_layer_internal.h"
#include "algorithms/compute/adam.h"
#include "algorithms/compute/blas.h"
#include "algorithms/compute/format_number.h"
#include "algorithms/compute/standardization.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

using Loss = mlpack::NegativeLogLikelihoodType<arma::fmat>;
using Network = mlpack::FFN<Loss, mlpack::ConstInitialization, arma::fmat>;

constexpr std::size_t kNumClasses = 2;

// A batch is trained on as two halves, at the same time where there are two threads. What the
// halves give is added in order, so the number of threads changes nothing.
constexpr std::size_t kNumShards = 2;

Network MakeNetwork(std::size_t dimension, std::size_t hidden) {
  Network network(Loss(/*reduction=*/true));
  AddHiddenLayer(network, hidden, kNumClasses);
  network.Add<mlpack::LogSoftMaxType<arma::fmat>>();
  network.Reset(dimension);
  return network;
}

// The rows of both banks: the clean ones first.
RowSet TrainingRows(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                    const Expansion& expansion) {
  RowSet rows(trusted);
  for (const PseudoLabel label : {PseudoLabel::kClean, PseudoLabel::kShifted}) {
    for (const std::uint32_t row : expansion.RowsWith(label)) rows.Add(pool.row(row));
  }
  return rows;
}

// The training rows, standardized. The working copy of the fit.
struct TrainingSet {
  arma::fmat inputs;
  std::size_t num_clean = 0;

  float label(std::size_t row) const { return row < num_clean ? 0.0F : 1.0F; }
};

// One half of a batch with a network of its own.
class Shard {
 public:
  explicit Shard(Network network) : network_(std::move(network)) {}

  Network& network() { return network_; }
  const arma::fmat& gradient() const { return gradient_; }
  float loss() const { return loss_; }

  // The sum of the losses of some rows, and its gradient.
  void Evaluate(const TrainingSet& set, std::span<const std::uint32_t> rows) {
    loss_ = 0;
    if (rows.empty()) {
      gradient_.zeros(arma::size(network_.Parameters()));
      return;
    }
    // Gathered into a block that is small enough to stay in the cache.
    inputs_.set_size(set.inputs.n_rows, rows.size());
    labels_.set_size(1, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(set.inputs.colptr(rows[i]), set.inputs.n_rows, inputs_.colptr(i));
      labels_(0, i) = set.label(rows[i]);
    }
    network_.Forward(inputs_, outputs_);
    loss_ = network_.Backward(inputs_, labels_, gradient_);
  }

 private:
  Network network_;
  arma::fmat inputs_;
  arma::fmat labels_;
  arma::fmat outputs_;
  arma::fmat gradient_;
  float loss_ = 0;
};

// Runs `task(begin, end)` on the halves of a range.
template <typename Task>
void ForBothHalves(std::size_t size, const Execution& execution, Task task) {
  ParallelFor(kNumShards, execution, [&](std::size_t half, std::size_t) {
    task(half * size / kNumShards, (half + 1) * size / kNumShards);
  });
}

// What ensmallen minimizes: the mean loss over batches in an order that our seed decides.
class DistillationLoss {
 public:
  DistillationLoss(std::vector<Shard> shards, const TrainingSet& set, SeededRandom& random,
                   const Execution& execution)
      : shards_(std::move(shards)),
        set_(set),
        random_(random),
        execution_(execution),
        order_(AllRows(set.inputs.n_cols)) {
    Shuffle();
  }

  arma::fmat& parameters() { return shards_.front().network().Parameters(); }
  std::size_t NumFunctions() const { return order_.size(); }
  void Shuffle() { random_.Shuffle(order_); }

  // ensmallen asks for it, though Adam never calls it.
  float Evaluate(const arma::fmat& parameters, std::size_t begin, std::size_t batch_size) {
    arma::fmat unused;
    return EvaluateWithGradient(parameters, begin, unused, batch_size);
  }

  float EvaluateWithGradient(const arma::fmat& parameters, std::size_t begin, arma::fmat& gradient,
                             std::size_t batch_size) {
    const std::span<const std::uint32_t> batch(order_.data() + begin, batch_size);
    ParallelFor(shards_.size(), execution_, [&](std::size_t i, std::size_t) {
      // The first shard's parameters are those that are optimized.
      if (i > 0) shards_[i].network().Parameters() = parameters;
      const std::size_t first = i * batch_size / shards_.size();
      const std::size_t end = (i + 1) * batch_size / shards_.size();
      shards_[i].Evaluate(set_, batch.subspan(first, end - first));
    });
    gradient.set_size(arma::size(parameters));
    const auto n = static_cast<float>(batch_size);
    ForBothHalves(gradient.n_elem, execution_, [&](std::size_t first, std::size_t end) {
      const float* const a = shards_[0].gradient().memptr();
      const float* const b = shards_[1].gradient().memptr();
      for (std::size_t i = first; i < end; ++i) gradient[i] = (a[i] + b[i]) / n;
    });
    return (shards_[0].loss() + shards_[1].loss()) / n;
  }

 private:
  std::vector<Shard> shards_;
  const TrainingSet& set_;
  SeededRandom& random_;
  const Execution& execution_;
  RowNumbers order_;
};

// Adam as an update policy of ensmallen's, in one pass over the parameters and on two threads;
// ensmallen's own passes over them six times.
class ParallelAdam {
 public:
  explicit ParallelAdam(const Execution& execution) : execution_(execution) {}

  template <typename Parameters, typename Gradient>
  class Policy {
   public:
    Policy(ParallelAdam& parent, std::size_t num_rows, std::size_t num_columns)
        : execution_(parent.execution_), moments_(num_rows * num_columns) {}

    void Update(Parameters& parameters, double rate, const Gradient& gradient) {
      const AdamStep step = AdamMoments::StepNumber(++num_steps_, rate);
      ForBothHalves(moments_.size(), execution_, [&](std::size_t begin, std::size_t end) {
        moments_.Move(step, gradient.memptr(), parameters.memptr(), begin, end);
      });
    }

   private:
    const Execution& execution_;
    AdamMoments moments_;
    std::size_t num_steps_ = 0;
  };

 private:
  const Execution& execution_;
};

// Tells how far the optimizer is.
class TrainingObserver {
 public:
  TrainingObserver(const Execution& execution, std::size_t num_steps)
      : execution_(execution), num_steps_(num_steps) {}

  template <typename Optimizer, typename Function, typename Parameters>
  bool StepTaken(Optimizer&, Function&, Parameters&) {
    execution_.Report({Stage::kDistill, ++step_, num_steps_});
    return false;
  }

 private:
  const Execution& execution_;
  std::size_t num_steps_;
  std::size_t step_ = 0;
};

// He initialization: normal weights of variance 2 / inputs, biases of 0.
void InitializeHe(std::size_t dimension, std::size_t hidden, SeededRandom& random,
                  arma::fmat& parameters) {
  const ParameterOffsets at(dimension, hidden, kNumClasses);
  parameters.zeros();
  FillNormal(2.0 / static_cast<double>(dimension), 0, at.hidden_bias, random, parameters);
  FillNormal(2.0 / static_cast<double>(hidden), at.output_weight, at.output_bias, random,
             parameters);
}

Classifier MakeClassifier(std::size_t dimension, std::size_t hidden,
                          Standardization standardization, const arma::fmat& parameters) {
  const ParameterOffsets at(dimension, hidden, kNumClasses);
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
  classifier.output_weight = transposed(at.output_weight, kNumClasses, hidden);
  classifier.output_bias = copied(at.output_bias, kNumClasses);
  return classifier;
}

// Training can end in a network that says the same of every row (mlpack issue 3477).
void RequireVaryingOutput(const Classifier& classifier, const EmbeddingsView& trusted,
                          const EmbeddingsView& pool, const Expansion& expansion,
                          const Execution& execution) {
  std::vector<float> scores = classifier.Score(trusted, execution);
  const std::vector<float> pool_scores = classifier.Score(pool, execution);
  for (std::size_t i = 0; i < pool.num_rows; ++i) {
    if (expansion.labels[i] != PseudoLabel::kNone) scores.push_back(pool_scores[i]);
  }
  const auto [lowest, highest] = std::ranges::minmax(scores);
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
  Standardization standardization;
  TrainingSet set;
  {
    const RowSet rows = TrainingRows(trusted, pool, expansion);
    standardization = FitStandardization(rows);
    const Standardizer standardizer(standardization);
    set.inputs.set_size(pool.dimension, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      standardizer.Apply(rows[i], set.inputs.colptr(i));
    }
    set.num_clean = rows.size() - expansion.RowsWith(PseudoLabel::kShifted).size();
  }

  const std::size_t num_rows = set.inputs.n_cols;
  const std::size_t batch_size = std::min(options.batch_size, num_rows);
  std::vector<Shard> shards;
  for (std::size_t i = 0; i < kNumShards; ++i) {
    shards.emplace_back(MakeNetwork(pool.dimension, options.hidden));
  }
  SeededRandom random(options.seed);
  InitializeHe(pool.dimension, options.hidden, random, shards.front().network().Parameters());

  DistillationLoss loss(std::move(shards), set, random, execution);
  // Every epoch is run: no tolerance.
  ens::SGD<ParallelAdam> adam(options.learning_rate, batch_size, options.epochs * num_rows,
                              /*tolerance=*/-1, /*shuffle=*/true, ParallelAdam(execution));
  TrainingObserver observer(execution, options.epochs * ((num_rows + batch_size - 1) / batch_size));
  arma::fmat& parameters = loss.parameters();
  const float final_loss = adam.Optimize(loss, parameters, observer);
  execution.CheckStop();
  if (!std::isfinite(final_loss) || !parameters.is_finite()) {
    throw std::runtime_error("the distillation diverged; lower `learning-rate`, now " +
                             FormatNumber(options.learning_rate));
  }
  Classifier classifier =
      MakeClassifier(pool.dimension, options.hidden, std::move(standardization), parameters);
  RequireVaryingOutput(classifier, trusted, pool, expansion, execution);
  return classifier;
}

}  // namespace spuna::algorithms
