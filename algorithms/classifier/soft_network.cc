#include "algorithms/classifier/soft_network.h"

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <stdexcept>

#include "algorithms/classifier/hidden_units.h"
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

RowReader::RowReader(const EmbeddingsView& rows)
    : num_rows(rows.num_rows),
      dimension(rows.dimension),
      copy_to([rows](std::size_t row, float* values) {
        std::copy_n(rows.row(row), rows.dimension, values);
      }) {}

RowReader::RowReader(const RowSet& rows)
    : num_rows(rows.size()),
      dimension(rows.dimension()),
      copy_to([&rows](std::size_t row, float* values) {
        std::copy_n(rows[row], rows.dimension(), values);
      }) {}

RowReader::RowReader(const HalfRows& rows)
    : num_rows(rows.size()),
      dimension(rows.dimension()),
      copy_to([&rows](std::size_t row, float* values) { rows.CopyTo(row, values); }) {}

SoftNetwork TrainSoftNetwork(const RowReader& rows, const RowTargets& lesson,
                             const SoftNetworkOptions& options, const Execution& execution) {
  const std::size_t dimension = rows.dimension;
  const std::size_t batch_size = std::min(options.batch_size, rows.num_rows);
  const std::vector<float> weights = BalancedWeights(lesson.targets, lesson.counts);
  SeededRandom random(options.seed);
  const arma::fmat hidden_weight =
      NormalWeights(options.hidden, dimension, 2.0 / static_cast<double>(dimension), random);
  const arma::fmat output_weight =
      NormalWeights(1, options.hidden, 1.0 / static_cast<double>(options.hidden), random);
  HiddenUnits units(hidden_weight, output_weight, options.learning_rate, options.decay);
  OutputBiases bias(1, options.learning_rate);
  NoiseTable noise(dimension, options.noise, random);

  arma::fmat inputs(dimension, batch_size);
  arma::fmat derivatives(1, batch_size);
  RowNumbers order = AllRows(rows.num_rows);
  const std::size_t steps_per_epoch = rows.num_rows / batch_size;
  for (std::size_t epoch = 0; epoch < options.epochs; ++epoch) {
    execution.Report({Stage::kDistill, epoch, options.epochs});
    random.Shuffle(order);
    // Whole batches only; the rows left over differ from epoch to epoch.
    for (std::size_t batch = 0; batch < steps_per_epoch; ++batch) {
      execution.CheckStop();
      const std::span<const std::uint32_t> numbers(order.data() + batch * batch_size, batch_size);
      for (std::size_t i = 0; i < batch_size; ++i) {
        rows.copy_to(numbers[i], inputs.colptr(i));
        noise.AddTo(inputs.colptr(i), dimension);
      }
      const arma::fmat& outputs = units.Forward(inputs);
      for (std::size_t i = 0; i < batch_size; ++i) {
        const std::uint32_t row = numbers[i];
        const float offset = lesson.offsets.empty() ? 0 : lesson.offsets[row];
        const float probability = 1 / (1 + std::exp(-(outputs[i] + bias.values()[0] + offset)));
        // Of the weighted mean cross-entropy of the batch.
        derivatives[i] =
            (probability - lesson.targets[row]) * weights[row] / static_cast<float>(batch_size);
      }
      units.Learn(inputs, derivatives);
      bias.Learn(derivatives);
    }
  }
  if (!units.IsFinite() || !bias.IsFinite()) throw std::runtime_error(kDivergedMessage);
  SoftNetwork trained{dimension, options.hidden, {}, {}, {}, bias.values()[0]};
  trained.hidden_weight.assign(units.hidden_weight().begin(), units.hidden_weight().end());
  trained.hidden_bias.assign(units.hidden_bias().begin(), units.hidden_bias().end());
  trained.output_weight.assign(units.output_weight().begin(), units.output_weight().end());
  return trained;
}

}  // namespace spuna::algorithms
