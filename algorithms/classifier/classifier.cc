#include "algorithms/classifier/classifier.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "algorithms/compute/blas.h"
#include "algorithms/compute/logistic.h"
#include "algorithms/compute/row_product.h"
#include "algorithms/compute/standardization.h"
#include "algorithms/compute/vector_kernels.h"

namespace spuna::algorithms {
namespace {

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
  std::vector<RowProduct> products(static_cast<std::size_t>(std::max(execution.num_threads, 1)),
                                   RowProduct(dimension, hidden));
  constexpr std::size_t kRowsPerBlock = RowProduct::kRowsPerBlock;
  const std::size_t num_blocks = (rows.num_rows + kRowsPerBlock - 1) / kRowsPerBlock;
  ParallelFor(num_blocks, execution, [&](std::size_t block, std::size_t worker) {
    RowProduct& product = products[worker];
    const std::size_t begin = block * kRowsPerBlock;
    const std::size_t count = std::min(kRowsPerBlock, rows.num_rows - begin);
    float* const inputs = product.Inputs(count);
    for (std::size_t i = 0; i < count; ++i) {
      standardizer.Apply(rows.row(begin + i), inputs + i * dimension);
    }
    product.Multiply(hidden_weight, hidden_bias);
    std::vector<double> logits(count, bias);
    for (std::size_t h = 0; h < hidden; ++h) {
      Kernels().add_rectified(product.Output(h), difference[h], count, logits.data());
    }
    for (std::size_t i = 0; i < count; ++i) {
      scores[begin + i] = static_cast<float>(Logistic(logits[i]));
    }
  });
  return scores;
}

}  // namespace spuna::algorithms
