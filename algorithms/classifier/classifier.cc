#include "algorithms/classifier/classifier.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "algorithms/compute/blas.h"
#include "algorithms/compute/logistic.h"
#include "algorithms/compute/standardization.h"
#include "algorithms/compute/vector_kernels.h"

namespace spuna::algorithms {
namespace {

// A row's score must not depend on the rows beside it, and a product's rounding depends on where in
// OpenBLAS's tiles a row stands. Rows that lie along the tiles' long side, whole tiles of them, and
// not within the first or last half tile (the Haswell kernel starts and ends differently), all
// round alike. So a block has guard rows of zeros before and after, and the last one is filled up.
// Tried on the kernels for Prescott, Nehalem, Sandybridge, Haswell, Zen, SkylakeX and Cooperlake.
constexpr std::size_t kRowsPerTile = 16;
constexpr std::size_t kGuardRows = 8;
// With the guards the longest product that no kernel cuts in two.
constexpr std::size_t kRowsPerBlock = 304;
// Products up to this size may take another path in OpenBLAS.
constexpr std::size_t kSmallProduct = 1'000'000;

struct Scratch {
  std::vector<float> standardized;
  std::vector<float> hidden;
  std::vector<double> logits;
};

template <typename T>
void RequireFinite(const std::vector<T>& values, std::size_t expected_size, const char* name) {
  if (values.size() != expected_size) {
    throw std::invalid_argument(std::string("classifier: expected ") +
                                std::to_string(expected_size) + " values in " + name +
                                " but found " + std::to_string(values.size()));
  }
  if (!std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); })) {
    throw std::invalid_argument(std::string("classifier: ") + name + " holds a non-finite number");
  }
}

// How many rows to multiply for a block of `count` rows, guards included.
std::size_t FilledRows(std::size_t count, std::size_t num_weights) {
  auto filled = [](std::size_t rows) {
    return (rows + 2 * kGuardRows + kRowsPerTile - 1) / kRowsPerTile * kRowsPerTile;
  };
  const bool may_be_small = filled(count) * num_weights <= kSmallProduct;
  return filled(may_be_small ? kRowsPerBlock : count);
}

}  // namespace

void Classifier::Validate() const {
  if (dimension == 0 || hidden == 0) {
    throw std::invalid_argument(
        "classifier: the dimension and the hidden width must be at least 1");
  }
  RequireFinite(mean, dimension, "the means");
  RequireFinite(deviation, dimension, "the deviations");
  RequireFinite(hidden_weight, hidden * dimension, "the hidden weights");
  RequireFinite(hidden_bias, hidden, "the hidden biases");
  RequireFinite(output_weight, 2 * hidden, "the output weights");
  RequireFinite(output_bias, 2, "the output biases");
}

std::vector<float> Classifier::Score(const EmbeddingsView& rows, const Execution& execution) const {
  if (rows.num_rows > 0 && rows.dimension != dimension) {
    throw std::invalid_argument("the model expects dimension " + std::to_string(dimension) +
                                " but the rows have dimension " + std::to_string(rows.dimension));
  }
  const SingleThreadedBlas single_threaded;
  // A softmax of two is a sigmoid of the difference of the two outputs.
  std::vector<float> difference(hidden);
  for (std::size_t h = 0; h < hidden; ++h) {
    difference[h] = output_weight[hidden + h] - output_weight[h];
  }
  const double bias = static_cast<double>(output_bias[1]) - output_bias[0];
  const Standardizer standardizer(mean, deviation);

  std::vector<float> scores(rows.num_rows);
  std::vector<Scratch> scratch(static_cast<std::size_t>(std::max(execution.num_threads, 1)));
  const std::size_t num_blocks = (rows.num_rows + kRowsPerBlock - 1) / kRowsPerBlock;
  ParallelFor(num_blocks, execution, [&](std::size_t block, std::size_t worker) {
    Scratch& s = scratch[worker];
    const std::size_t begin = block * kRowsPerBlock;
    const std::size_t count = std::min(kRowsPerBlock, rows.num_rows - begin);
    const std::size_t filled = FilledRows(count, hidden * dimension);
    s.standardized.resize(filled * dimension);
    std::fill_n(s.standardized.data(), kGuardRows * dimension, 0.0F);
    for (std::size_t i = 0; i < count; ++i) {
      standardizer.Apply(rows.row(begin + i), s.standardized.data() + (kGuardRows + i) * dimension);
    }
    std::fill(
        s.standardized.begin() + static_cast<std::ptrdiff_t>((kGuardRows + count) * dimension),
        s.standardized.end(), 0.0F);
    // Unit by unit, the activations of all rows.
    s.hidden.resize(hidden * filled);
    for (std::size_t h = 0; h < hidden; ++h) {
      std::fill_n(s.hidden.begin() + static_cast<std::ptrdiff_t>(h * filled), filled,
                  hidden_bias[h]);
    }
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<blasint>(filled),
                static_cast<blasint>(hidden), static_cast<blasint>(dimension), 1.0F,
                s.standardized.data(), static_cast<blasint>(dimension), hidden_weight.data(),
                static_cast<blasint>(dimension), 1.0F, s.hidden.data(),
                static_cast<blasint>(filled));
    s.logits.assign(count, bias);
    for (std::size_t h = 0; h < hidden; ++h) {
      Kernels().add_rectified(s.hidden.data() + h * filled + kGuardRows, difference[h], count,
                              s.logits.data());
    }
    for (std::size_t i = 0; i < count; ++i) {
      scores[begin + i] = static_cast<float>(Logistic(s.logits[i]));
    }
  });
  return scores;
}

}  // namespace spuna::algorithms
