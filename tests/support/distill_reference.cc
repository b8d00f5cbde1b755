#include "tests/support/distill_reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/rows/seeded_random.h"

namespace spuna::test {
namespace {

// The parameters, in the order in which the random numbers are drawn for them.
struct Network {
  std::size_t dimension;
  std::size_t hidden;
  std::vector<double> parameters;

  Network(std::size_t d, std::size_t h)
      : dimension(d), hidden(h), parameters(h * d + h + 2 * h + 2) {}

  double& w1(std::size_t unit, std::size_t input) { return parameters[input * hidden + unit]; }
  double& b1(std::size_t unit) { return parameters[hidden * dimension + unit]; }
  double& w2(std::size_t output, std::size_t unit) {
    return parameters[hidden * dimension + hidden + unit * 2 + output];
  }
  double& b2(std::size_t output) {
    return parameters[hidden * dimension + hidden + 2 * hidden + output];
  }
};

struct Activations {
  std::vector<double> hidden;
  double probability[2];
};

Activations Forward(Network& net, const std::vector<double>& row) {
  Activations at;
  double output[2] = {net.b2(0), net.b2(1)};
  for (std::size_t u = 0; u < net.hidden; ++u) {
    double sum = net.b1(u);
    for (std::size_t j = 0; j < net.dimension; ++j) sum += net.w1(u, j) * row[j];
    at.hidden.push_back(std::max(sum, 0.0));
    for (std::size_t o = 0; o < 2; ++o) output[o] += net.w2(o, u) * at.hidden[u];
  }
  at.probability[1] = 1 / (1 + std::exp(output[0] - output[1]));
  at.probability[0] = 1 - at.probability[1];
  return at;
}

// Adds the gradient of a row's cross-entropy, times `weight`.
void AddGradient(Network& net, const std::vector<double>& row, std::size_t label, double weight,
                 Network& gradient) {
  const Activations at = Forward(net, row);
  double error[2];
  for (std::size_t o = 0; o < 2; ++o) {
    error[o] = (at.probability[o] - (o == label ? 1 : 0)) * weight;
    gradient.b2(o) += error[o];
  }
  for (std::size_t u = 0; u < net.hidden; ++u) {
    double back = 0;
    for (std::size_t o = 0; o < 2; ++o) {
      gradient.w2(o, u) += error[o] * at.hidden[u];
      back += error[o] * net.w2(o, u);
    }
    if (at.hidden[u] <= 0) continue;
    gradient.b1(u) += back;
    for (std::size_t j = 0; j < net.dimension; ++j) gradient.w1(u, j) += back * row[j];
  }
}

}  // namespace

std::vector<double> DistillReference(const Rows& clean, const Rows& shifted, const Rows& scored,
                                     const DistillReferenceOptions& options) {
  Rows rows = clean;
  rows.insert(rows.end(), shifted.begin(), shifted.end());
  const std::size_t dimension = rows[0].size();
  const auto n = static_cast<double>(rows.size());
  std::vector<double> mean(dimension);
  std::vector<double> deviation(dimension);
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < dimension; ++j) mean[j] += row[j] / n;
  }
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < dimension; ++j) deviation[j] += std::pow(row[j] - mean[j], 2) / n;
  }
  for (double& value : deviation) value = std::sqrt(value);
  auto standardized = [&](std::vector<double> row) {
    for (std::size_t j = 0; j < dimension; ++j) row[j] = (row[j] - mean[j]) / deviation[j];
    return row;
  };
  for (auto& row : rows) row = standardized(row);

  Network net(dimension, options.hidden);
  algorithms::SeededRandom random(options.seed);
  const std::size_t num_w1 = options.hidden * dimension;
  for (std::size_t i = 0; i < num_w1; ++i) {
    net.parameters[i] = std::sqrt(2.0 / static_cast<double>(dimension)) * random.Normal();
  }
  for (std::size_t i = 0; i < 2 * options.hidden; ++i) {
    net.parameters[num_w1 + options.hidden + i] =
        std::sqrt(2.0 / static_cast<double>(options.hidden)) * random.Normal();
  }

  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<double> first_moment(net.parameters.size());
  std::vector<double> second_moment(net.parameters.size());
  int step = 0;
  for (std::size_t epoch = 0; epoch < options.epochs; ++epoch) {
    random.Shuffle(order);
    for (std::size_t begin = 0; begin < rows.size(); begin += options.batch_size) {
      const std::size_t end = std::min(begin + options.batch_size, rows.size());
      Network gradient(dimension, options.hidden);
      for (std::size_t i = begin; i < end; ++i) {
        AddGradient(net, rows[order[i]], order[i] < clean.size() ? 0 : 1,
                    1 / static_cast<double>(end - begin), gradient);
      }
      ++step;
      for (std::size_t p = 0; p < net.parameters.size(); ++p) {
        const double g = gradient.parameters[p];
        first_moment[p] = 0.9 * first_moment[p] + 0.1 * g;
        second_moment[p] = 0.999 * second_moment[p] + 0.001 * g * g;
        const double m = first_moment[p] / (1 - std::pow(0.9, step));
        const double v = second_moment[p] / (1 - std::pow(0.999, step));
        net.parameters[p] -= options.learning_rate * m / (std::sqrt(v) + 1e-8);
      }
    }
  }
  std::vector<double> scores;
  for (const auto& row : scored) scores.push_back(Forward(net, standardized(row)).probability[1]);
  return scores;
}

}  // namespace spuna::test
