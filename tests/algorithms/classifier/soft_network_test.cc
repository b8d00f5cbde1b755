#include "algorithms/classifier/soft_network.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>

#include "algorithms/classifier/linear_discriminant.h"
#include "algorithms/guarantees/metrics.h"
#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

double Auroc(const std::vector<double>& scores, const std::vector<float>& targets) {
  std::vector<std::uint8_t> truth;
  for (const float target : targets) truth.push_back(target > 0.5F ? 1 : 0);
  return EvaluateDetection(scores, truth).auroc;
}

// Rows and whether they lie on the far side of a sphere, which no plane can tell.
struct Sphere {
  test::Matrix rows = test::RandomRows(3000, 4, 1);
  std::vector<float> targets;

  Sphere() {
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      double square = 0;
      for (std::size_t j = 0; j < 4; ++j) square += std::pow(rows.view().row(i)[j], 2);
      targets.push_back(square > 3.4 ? 1.0F : 0.0F);
    }
  }
};

SoftNetworkOptions Small() {
  SoftNetworkOptions options;
  options.hidden = 32;
  options.epochs = 30;
  options.learning_rate = 0.01;
  options.noise = 0.1;
  options.decay = 0.1;
  return options;
}

BOOST_AUTO_TEST_SUITE(soft_network)

BOOST_AUTO_TEST_CASE(both_classes_weigh_the_same) {
  const std::vector<float> targets = {0, 0, 0, 1};
  const std::vector<float> weights = BalancedWeights(targets);
  BOOST_TEST(weights[0] == 2.0F / 3, boost::test_tools::tolerance(1e-6F));
  BOOST_TEST(weights[3] == 2.0F);
  const std::vector<float> none = BalancedWeights(std::vector<float>{0, 0});
  BOOST_TEST(none[0] == 0.5F);
}

BOOST_AUTO_TEST_CASE(a_sphere_is_learned_and_a_plane_does_not_do) {
  const Sphere sphere;
  const SoftNetwork network = TrainSoftNetwork(sphere.rows.view(), {sphere.targets}, Small(), {});
  BOOST_TEST(Auroc(network.Logits(sphere.rows.view()), sphere.targets) > 0.98);
  const LinearDiscriminant linear = FitLinearDiscriminant(sphere.rows.view(), {sphere.targets}, {});
  BOOST_TEST(Auroc(linear.Logits(sphere.rows.view()), sphere.targets) < 0.6);
}

BOOST_AUTO_TEST_CASE(soft_targets_are_met_on_average) {
  const test::Matrix rows = test::RandomRows(2000, 2, 3);
  std::vector<float> targets;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    targets.push_back(rows.view().row(i)[0] > 0 ? 0.8F : 0.2F);
  }
  const std::vector<double> logits =
      TrainSoftNetwork(rows.view(), {targets}, Small(), {}).Logits(rows.view());
  double high = 0;
  double count = 0;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    if (rows.view().row(i)[0] < 1) continue;
    high += 1 / (1 + std::exp(-logits[i]));
    ++count;
  }
  BOOST_TEST(std::abs(high / count - 0.8) < 0.05);
}

BOOST_AUTO_TEST_CASE(the_seed_decides) {
  const Sphere sphere;
  SoftNetworkOptions options = Small();
  options.epochs = 1;
  const auto train = [&] {
    return TrainSoftNetwork(sphere.rows.view(), {sphere.targets}, options, {}).hidden_weight;
  };
  const std::vector<float> first = train();
  BOOST_TEST((train() == first));
  options.seed = 1;
  BOOST_TEST((train() != first));
}

BOOST_AUTO_TEST_CASE(it_stops_when_asked_and_says_when_it_diverges) {
  const Sphere sphere;
  Execution stop;
  stop.should_stop = [] { return true; };
  BOOST_CHECK_THROW(TrainSoftNetwork(sphere.rows.view(), {sphere.targets}, Small(), stop),
                    Interrupted);
  SoftNetworkOptions wild = Small();
  wild.learning_rate = 1e30;
  BOOST_CHECK_THROW(TrainSoftNetwork(sphere.rows.view(), {sphere.targets}, wild, {}),
                    std::runtime_error);
}

BOOST_AUTO_TEST_CASE(the_linear_discriminant_is_at_its_minimum) {
  // At the minimum of sum(weight * loss) / n + |w|^2 / (2 * 0.01 * n) the gradient is 0.
  const test::Matrix rows = test::RandomRows(300, 3, 7, 5, 2);
  std::vector<float> targets;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    targets.push_back(rows.view().row(i)[1] > 6 ? 0.9F : 0.0F);
  }
  const LinearDiscriminant linear = FitLinearDiscriminant(rows.view(), {targets}, {});
  const std::vector<double> logits = linear.Logits(rows.view());
  const std::vector<float> weights = BalancedWeights(targets);
  double bias_gradient = 0;
  std::vector<double> gradient(3);
  for (std::size_t i = 0; i < 300; ++i) {
    const double error = weights[i] * (1 / (1 + std::exp(-logits[i])) - targets[i]) / 300;
    bias_gradient += error;
    for (std::size_t j = 0; j < 3; ++j) {
      gradient[j] += error * (rows.view().row(i)[j] - linear.standardization.mean[j]) /
                     linear.standardization.deviation[j];
    }
  }
  BOOST_TEST(std::abs(bias_gradient) < 1e-4);
  for (std::size_t j = 0; j < 3; ++j) {
    BOOST_TEST(std::abs(gradient[j] + linear.weight[j] / (0.01 * 300)) < 1e-4);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
