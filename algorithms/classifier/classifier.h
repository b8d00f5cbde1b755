#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"

namespace spuna::algorithms {

/// The distilled network: standardize, d -> hidden (ReLU) -> 2 (softmax).
///
/// Scoring is one product a block and a fused second half; mlpack is not needed for it.
struct Classifier {
  std::size_t dimension = 0;
  std::size_t hidden = 0;
  /// One entry a dimension. A deviation of 0 marks a constant dimension, which becomes 0.
  std::vector<double> mean;
  std::vector<double> deviation;
  /// hidden x dimension, row by row.
  std::vector<float> hidden_weight;
  std::vector<float> hidden_bias;
  /// 2 x hidden, row by row: the clean class, then the shifted class.
  std::vector<float> output_weight;
  std::vector<float> output_bias;

  /// Throws std::invalid_argument where the parts don't fit each other or hold a non-finite number.
  void Validate() const;

  /// The probability of being shifted for every row. A row with non-finite values gets some number
  /// or not a number and disturbs no other row. May be called from several threads.
  std::vector<float> Score(const EmbeddingsView& rows, const Execution& execution) const;
};

}  // namespace spuna::algorithms
