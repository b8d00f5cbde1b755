#include "algorithms/classifier/soft_network.h"

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "algorithms/compute/adam.h"
#include "algorithms/compute/armadillo_view_internal.h"
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

// One block of parameters under Adam.
class AdamBlock {
 public:
  AdamBlock(float* parameters, std::size_t size, double decay)
      : parameters_(parameters), moments_(size), decay_(decay) {}

  void Step(const float* gradient, double rate, std::size_t step) {
    moments_.Move(AdamMoments::StepNumber(step, rate, decay_), gradient, parameters_, 0,
                  moments_.size());
  }

 private:
  float* parameters_;
  AdamMoments moments_;
  double decay_;
};

SoftNetwork Initialize(std::size_t dimension, std::size_t hidden, SeededRandom& random) {
  SoftNetwork network{dimension, hidden, {}, {}, {}, 0};
  auto normal = [&](std::size_t count, double variance) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(std::sqrt(variance) * random.Normal());
    return values;
  };
  network.hidden_weight = normal(hidden * dimension, 2.0 / static_cast<double>(dimension));
  network.hidden_bias.assign(hidden, 0.0F);
  network.output_weight = normal(hidden, 1.0 / static_cast<double>(hidden));
  return network;
}

}  // namespace

std::vector<float> BalancedWeights(std::span<const float> targets) {
  const double n = static_cast<double>(targets.size());
  const double ones = std::accumulate(targets.begin(), targets.end(), 0.0);
  const double zeros = n - ones;
  std::vector<float> weights(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double one = ones > 0 ? targets[i] / ones : 0;
    const double zero = zeros > 0 ? (1 - targets[i]) / zeros : 0;
    weights[i] = static_cast<float>((one + zero) * n / 2);
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

SoftNetwork TrainSoftNetwork(const RowSet& rows, std::span<const float> targets,
                             const SoftNetworkOptions& options, const Execution& execution,
                             std::span<const float> offsets) {
  const std::size_t dimension = rows.dimension();
  const std::size_t hidden = options.hidden;
  const std::size_t batch_size = std::min(options.batch_size, rows.size());
  const std::vector<float> weights = BalancedWeights(targets);
  SeededRandom random(options.seed);
  SoftNetwork network = Initialize(dimension, hidden, random);
  NoiseTable noise(dimension, options.noise, random);

  arma::fmat weight(network.hidden_weight.data(), hidden, dimension, false, true);
  arma::fvec output(network.output_weight.data(), hidden, false, true);
  AdamBlock step_weight(network.hidden_weight.data(), hidden * dimension, options.decay);
  AdamBlock step_bias(network.hidden_bias.data(), hidden, 0);
  AdamBlock step_output(network.output_weight.data(), hidden, options.decay);
  AdamBlock step_output_bias(&network.output_bias, 1, 0);

  arma::fmat inputs(dimension, batch_size);
  arma::fmat activations(hidden, batch_size);
  arma::fmat gradient(hidden, dimension);
  arma::fvec gradient_bias(hidden);
  arma::fvec gradient_output(hidden);
  RowNumbers order = AllRows(rows.size());
  const std::size_t steps_per_epoch = rows.size() / batch_size;
  std::size_t step = 0;
  for (std::size_t epoch = 0; epoch < options.epochs; ++epoch) {
    execution.Report({Stage::kDistill, epoch, options.epochs});
    random.Shuffle(order);
    // Whole batches only; the rows left over differ from epoch to epoch.
    for (std::size_t batch = 0; batch < steps_per_epoch; ++batch) {
      execution.CheckStop();
      const std::uint32_t* const chosen = order.data() + batch * batch_size;
      for (std::size_t i = 0; i < batch_size; ++i) {
        std::copy_n(rows[chosen[i]], dimension, inputs.colptr(i));
        noise.AddTo(inputs.colptr(i), dimension);
      }
      activations = weight * inputs;
      gradient_output.zeros();
      gradient_bias.zeros();
      float error_sum = 0;
      for (std::size_t i = 0; i < batch_size; ++i) {
        float* const column = activations.colptr(i);
        float logit = network.output_bias + (offsets.empty() ? 0.0F : offsets[chosen[i]]);
        for (std::size_t h = 0; h < hidden; ++h) {
          column[h] = std::max(column[h] + network.hidden_bias[h], 0.0F);
          logit += column[h] * output[h];
        }
        const float probability = 1 / (1 + std::exp(-logit));
        const float error = (probability - targets[chosen[i]]) * weights[chosen[i]] /
                            static_cast<float>(batch_size);
        error_sum += error;
        // From the activations to the gradient by them, in place.
        for (std::size_t h = 0; h < hidden; ++h) {
          gradient_output[h] += error * column[h];
          column[h] = column[h] > 0 ? error * output[h] : 0;
          gradient_bias[h] += column[h];
        }
      }
      gradient = activations * inputs.t();
      ++step;
      step_weight.Step(gradient.memptr(), options.learning_rate, step);
      step_bias.Step(gradient_bias.memptr(), options.learning_rate, step);
      step_output.Step(gradient_output.memptr(), options.learning_rate, step);
      step_output_bias.Step(&error_sum, options.learning_rate, step);
    }
  }
  if (!weight.is_finite() || !output.is_finite() || !std::isfinite(network.output_bias)) {
    throw std::runtime_error(kDivergedMessage);
  }
  return network;
}

}  // namespace spuna::algorithms
