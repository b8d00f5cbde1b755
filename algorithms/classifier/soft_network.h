#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/half_rows.h"
#include "algorithms/rows/row_set.h"

namespace spuna::algorithms {

struct SoftNetworkOptions {
  std::size_t hidden = 512;
  std::size_t epochs = 10;
  double learning_rate = 0.001;
  std::size_t batch_size = 128;
  /// The deviation of the noise that every row gets anew each time it is seen.
  double noise = 0.8;
  /// How fast the weights shrink: by this share of the step size a step.
  double decay = 3;
  std::uint64_t seed = 0;
};

/// A network with one hidden layer (ReLU) and one output, the logit of being shifted.
struct SoftNetwork {
  std::size_t dimension = 0;
  std::size_t hidden = 0;
  /// hidden x dimension, column by column.
  std::vector<float> hidden_weight;
  std::vector<float> hidden_bias;
  std::vector<float> output_weight;
  float output_bias = 0;

  /// Single-threaded. Throws std::runtime_error where one is not finite.
  std::vector<double> Logits(const EmbeddingsView& rows) const;
};

/// What rows are learned as. All parts have a value a row, or none.
struct RowTargets {
  /// From 0 (clean) to 1 (shifted).
  std::span<const float> targets;
  /// What is added to a row's logit while learning, and forgotten then; empty for nothing.
  std::span<const float> offsets = {};
  /// As how many rows a row counts; empty for one each.
  std::span<const float> counts = {};
};

/// The weights that make the two classes of soft targets count equally, 1 on average. Within a
/// class a row counts as `counts` says.
std::vector<float> BalancedWeights(std::span<const float> targets,
                                   std::span<const float> counts = {});

/// Where the rows that a network learns come from. Sets of rows must outlive it.
struct RowReader {
  RowReader(const EmbeddingsView& rows);
  RowReader(const RowSet& rows);
  RowReader(const HalfRows& rows);

  std::size_t num_rows;
  std::size_t dimension;
  std::function<void(std::size_t row, float* values)> copy_to;
};

/// Trains by cross-entropy, with balanced weights, Adam, decoupled weight decay and noise on the
/// inputs, which are taken to be whitened. Single-threaded, so that several can be trained side by
/// side. Every epoch is reported when it begins. Throws std::runtime_error when it diverges.
SoftNetwork TrainSoftNetwork(const RowReader& rows, const RowTargets& lesson,
                             const SoftNetworkOptions& options, const Execution& execution);

}  // namespace spuna::algorithms
