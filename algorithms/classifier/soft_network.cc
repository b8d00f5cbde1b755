#include "algorithms/classifier/soft_network.h"

#include <algorithm>
#include <cmath>
#include <mlpack/core.hpp>
#include <mlpack/methods/ann/ffn.hpp>
#include <mlpack/methods/ann/init_rules/init_rules.hpp>
#include <mlpack/methods/ann/layer/layer_types.hpp>
#include <stdexcept>

#include "algorithms/classifier/hidden_layer_internal.h"
#include "algorithms/compute/adam.h"
#include "algorithms/compute/armadillo_view_internal.h"
#include "algorithms/compute/logistic.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kRowsPerBlock = 512;
constexpr const char* kDivergedMessage = "the network diverged; lower `learning-rate`";

// Normal numbers, drawn once and read from random places: drawing them anew for every row of every
// epoch would cost as much as the products.
class NoiseTable {
 public:
  NoiseTable(std::size_t dimension, double deviation, SeededRandom& random)
      : values_(deviation > 0 ? kSize + dimension : 0), random_(random) {
    for (float& value : values_) value = static_cast<float>(deviation * random.Normal());
  }

  void AddTo(float* row, std::size_t dimension) {
    if (values_.empty()) return;
    const float* const noise = values_.data() + random_.Below(kSize);
    for (std::size_t j = 0; j < dimension; ++j) row[j] += noise[j];
  }

 private:
  static constexpr std::size_t kSize = std::size_t{1} << 17;
  std::vector<float> values_;
  SeededRandom& random_;
};

// The output layer: the mean cross-entropy of a batch of logits. Its targets have three rows: what
// to learn, the row's weight, and its offset.
class WeightedCrossEntropy {
 public:
  float Forward(const arma::fmat& logits, const arma::fmat& targets) const {
    double loss = 0;
    for (std::size_t i = 0; i < logits.n_cols; ++i) {
      loss += targets(1, i) * LogisticLoss(logits[i] + targets(2, i), targets(0, i));
    }
    return static_cast<float>(loss / static_cast<double>(logits.n_cols));
  }

  void Backward(const arma::fmat& logits, const arma::fmat& targets, arma::fmat& gradient) const {
    gradient.set_size(1, logits.n_cols);
    for (std::size_t i = 0; i < logits.n_cols; ++i) {
      const float probability = 1 / (1 + std::exp(-(logits[i] + targets(2, i))));
      gradient[i] =
          (probability - targets(0, i)) * targets(1, i) / static_cast<float>(logits.n_cols);
    }
  }

  // FFN asks for it, though nothing is serialized.
  template <typename Archive>
  void serialize(Archive&, std::uint32_t) {}
};

using Network = mlpack::FFN<WeightedCrossEntropy, mlpack::ConstInitialization, arma::fmat>;

Network MakeNetwork(std::size_t dimension, std::size_t hidden, SeededRandom& random) {
  Network network;
  AddHiddenLayer(network, hidden, /*num_outputs=*/1);
  network.Reset(dimension);
  arma::fmat& parameters = network.Parameters();
  parameters.zeros();
  const ParameterOffsets at(dimension, hidden, 1);
  FillNormal(2.0 / static_cast<double>(dimension), 0, at.hidden_bias, random, parameters);
  FillNormal(1.0 / static_cast<double>(hidden), at.output_weight, at.output_bias, random,
             parameters);
  return network;
}

// Adam over all parameters; weights decay, biases do not.
class DecayingAdam {
 public:
  DecayingAdam(const ParameterOffsets& at, double rate, double decay)
      : at_(at), rate_(rate), decay_(decay), moments_(at.end) {}

  void Move(const arma::fmat& gradient, arma::fmat& parameters) {
    ++num_steps_;
    MoveRange(gradient, decay_, 0, at_.hidden_bias, parameters);
    MoveRange(gradient, 0, at_.hidden_bias, at_.output_weight, parameters);
    MoveRange(gradient, decay_, at_.output_weight, at_.output_bias, parameters);
    MoveRange(gradient, 0, at_.output_bias, at_.end, parameters);
  }

 private:
  void MoveRange(const arma::fmat& gradient, double decay, std::size_t begin, std::size_t end,
                 arma::fmat& parameters) {
    moments_.Move(AdamMoments::StepNumber(num_steps_, rate_, decay), gradient.memptr(),
                  parameters.memptr(), begin, end);
  }

  ParameterOffsets at_;
  double rate_;
  double decay_;
  AdamMoments moments_;
  std::size_t num_steps_ = 0;
};

}  // namespace

std::vector<float> BalancedWeights(std::span<const float> targets, std::span<const float> counts) {
  auto count = [&](std::size_t i) { return counts.empty() ? 1.0 : counts[i]; };
  double n = 0;
  double ones = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    n += count(i);
    ones += count(i) * targets[i];
  }
  const double zeros = n - ones;
  std::vector<float> weights(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double one = ones > 0 ? targets[i] / ones : 0;
    const double zero = zeros > 0 ? (1 - targets[i]) / zeros : 0;
    weights[i] =
        static_cast<float>((one + zero) * count(i) * static_cast<double>(targets.size()) / 2);
  }
  return weights;
}

std::vector<double> SoftNetwork::Logits(const EmbeddingsView& rows) const {
  const arma::fmat weight(const_cast<float*>(hidden_weight.data()), hidden, dimension, false, true);
  std::vector<double> logits(rows.num_rows, output_bias);
  for (std::size_t begin = 0; begin < rows.num_rows; begin += kRowsPerBlock) {
    const std::size_t count = std::min(kRowsPerBlock, rows.num_rows - begin);
    const arma::fmat inputs = AsColumns({rows.row(begin), count, dimension});
    const arma::fmat activations = weight * inputs;
    for (std::size_t i = 0; i < count; ++i) {
      const float* const column = activations.colptr(i);
      for (std::size_t h = 0; h < hidden; ++h) {
        logits[begin + i] +=
            static_cast<double>(std::max(column[h] + hidden_bias[h], 0.0F)) * output_weight[h];
      }
      if (!std::isfinite(logits[begin + i])) throw std::runtime_error(kDivergedMessage);
    }
  }
  return logits;
}

SoftNetwork TrainSoftNetwork(const RowSet& rows, const RowTargets& lesson,
                             const SoftNetworkOptions& options, const Execution& execution) {
  const std::size_t dimension = rows.dimension();
  const std::size_t batch_size = std::min(options.batch_size, rows.size());
  const std::vector<float> weights = BalancedWeights(lesson.targets, lesson.counts);
  SeededRandom random(options.seed);
  Network network = MakeNetwork(dimension, options.hidden, random);
  NoiseTable noise(dimension, options.noise, random);
  const ParameterOffsets at(dimension, options.hidden, 1);
  DecayingAdam adam(at, options.learning_rate, options.decay);

  arma::fmat inputs(dimension, batch_size);
  arma::fmat learned(3, batch_size, arma::fill::zeros);
  arma::fmat logits;
  arma::fmat gradient;
  RowNumbers order = AllRows(rows.size());
  const std::size_t steps_per_epoch = rows.size() / batch_size;
  for (std::size_t epoch = 0; epoch < options.epochs; ++epoch) {
    execution.Report({Stage::kDistill, epoch, options.epochs});
    random.Shuffle(order);
    // Whole batches only; the rows left over differ from epoch to epoch.
    for (std::size_t batch = 0; batch < steps_per_epoch; ++batch) {
      execution.CheckStop();
      for (std::size_t i = 0; i < batch_size; ++i) {
        const std::uint32_t row = order[batch * batch_size + i];
        std::copy_n(rows[row], dimension, inputs.colptr(i));
        noise.AddTo(inputs.colptr(i), dimension);
        learned(0, i) = lesson.targets[row];
        learned(1, i) = weights[row];
        if (!lesson.offsets.empty()) learned(2, i) = lesson.offsets[row];
      }
      network.Forward(inputs, logits);
      network.Backward(inputs, learned, gradient);
      adam.Move(gradient, network.Parameters());
    }
  }
  const arma::fmat& parameters = network.Parameters();
  if (!parameters.is_finite()) throw std::runtime_error(kDivergedMessage);
  const float* const values = parameters.memptr();
  SoftNetwork trained{dimension, options.hidden, {}, {}, {}, values[at.output_bias]};
  trained.hidden_weight.assign(values, values + at.hidden_bias);
  trained.hidden_bias.assign(values + at.hidden_bias, values + at.output_weight);
  trained.output_weight.assign(values + at.output_weight, values + at.output_bias);
  return trained;
}

}  // namespace spuna::algorithms
