#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithms/classifier/classifier.h"
#include "algorithms/compute/execution.h"
#include "algorithms/expansion/expansion.h"
#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

struct DistillationOptions {
  /// Hidden units.
  std::size_t hidden = 512;
  std::size_t epochs = 20;
  double learning_rate = 0.001;
  std::size_t batch_size = 128;
  /// Decides the initial weights and the order of the rows in every epoch.
  std::uint64_t seed = 0;

  /// Throws std::invalid_argument where a value can't be used.
  void Validate() const;
};

/// Trains the classifier on the trusted and pseudo-clean rows (class 0) against the pseudo-shifted
/// rows (class 1), in float32: cross-entropy, Adam, He initialization, inputs
/// standardized with the training rows' mean and deviation. Rows without a label take no part.
///
/// Throws std::runtime_error when the training diverges or collapses to a constant output,
/// Interrupted when asked to stop.
Classifier Distill(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                   const Expansion& expansion, const DistillationOptions& options,
                   const Execution& execution);

}  // namespace spuna::algorithms
