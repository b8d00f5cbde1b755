#include "algorithms/classifier/distillation.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <mlpack/core.hpp>
#include <mlpack/methods/ann/ffn.hpp>
#include <mlpack/methods/ann/layer/layer_types.hpp>
#include <vector>

#include "algorithms/compute/standardization.h"
#include "algorithms/guarantees/metrics.h"
#include "tests/support/distill_reference.h"
#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

using test::Matrix;

// Every odd pool row is shifted and known to be.
Expansion TrueLabels(std::size_t num_pool) {
  Expansion expansion;
  for (std::size_t i = 0; i < num_pool; ++i) {
    expansion.labels.push_back(i % 2 == 0 ? PseudoLabel::kClean : PseudoLabel::kShifted);
    expansion.rounds.push_back(1);
  }
  return expansion;
}

DistillationOptions SmallOptions(std::uint64_t seed = 0) {
  DistillationOptions options;
  options.hidden = 32;
  options.epochs = 5;
  options.batch_size = 16;
  options.seed = seed;
  return options;
}

struct Example {
  Matrix trusted = test::RandomRows(60, 10, 1);
  Matrix pool = test::ShiftedPool(201, 10, 2, 1.5);
  Expansion expansion = TrueLabels(201);

  Classifier Distill(const DistillationOptions& options, const Execution& execution = {}) const {
    return algorithms::Distill(trusted.view(), pool.view(), expansion, options, execution);
  }
};

bool SameWeights(const Classifier& a, const Classifier& b) {
  return a.mean == b.mean && a.deviation == b.deviation && a.hidden_weight == b.hidden_weight &&
         a.hidden_bias == b.hidden_bias && a.output_weight == b.output_weight &&
         a.output_bias == b.output_bias;
}

BOOST_AUTO_TEST_SUITE(distillation)

BOOST_AUTO_TEST_CASE(learns_to_tell_the_classes_apart) {
  const Example example;
  const Classifier classifier = example.Distill(SmallOptions());
  const Matrix fresh = test::ShiftedPool(400, 10, 3, 1.5);
  std::vector<double> scores;
  std::vector<std::uint8_t> shifted;
  for (const float score : classifier.Score(fresh.view(), {})) {
    shifted.push_back(scores.size() % 2 == 1 ? 1 : 0);
    scores.push_back(score);
  }
  BOOST_TEST(EvaluateDetection(scores, shifted).auroc > 0.98);
}

BOOST_AUTO_TEST_CASE(matches_a_plain_float64_training) {
  const Example example;
  test::Rows clean = example.trusted.rows();
  test::Rows shifted;
  for (std::size_t i = 0; i < example.pool.num_rows; ++i) {
    (i % 2 == 0 ? clean : shifted).push_back(example.pool.rows()[i]);
  }
  const Matrix fresh = test::ShiftedPool(100, 10, 3, 1.5);
  for (const std::uint64_t seed : {0, 1, 2}) {
    for (const std::size_t batch_size : {16, 50, 1000}) {
      BOOST_TEST_CONTEXT("seed " << seed << " batch size " << batch_size) {
        DistillationOptions options = SmallOptions(seed);
        options.batch_size = batch_size;
        options.learning_rate = 0.003;
        const std::vector<double> expected =
            test::DistillReference(clean, shifted, fresh.rows(),
                                   {options.hidden, options.epochs, options.learning_rate,
                                    options.batch_size, options.seed});
        const std::vector<float> scores = example.Distill(options).Score(fresh.view(), {});
        for (std::size_t i = 0; i < fresh.num_rows; ++i) {
          // mlpack's training approximates exp to about 1e-5, and Adam passes that on.
          BOOST_TEST_REQUIRE(std::abs(scores[i] - expected[i]) < 1e-3);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_seed_decides_the_bits_and_the_threads_do_not) {
  const Example example;
  const Classifier first = example.Distill(SmallOptions(7));
  Execution three_threads;
  three_threads.num_threads = 3;
  BOOST_TEST(SameWeights(first, example.Distill(SmallOptions(7), three_threads)));
  BOOST_TEST(!SameWeights(first, example.Distill(SmallOptions(8))));
}

BOOST_AUTO_TEST_CASE(rows_without_a_label_take_no_part) {
  Example example;
  example.expansion.labels[4] = PseudoLabel::kNone;
  const Classifier before = example.Distill(SmallOptions());
  for (std::size_t j = 0; j < 10; ++j) example.pool.row(4)[j] = 1e6F;
  BOOST_TEST(SameWeights(before, example.Distill(SmallOptions())));
}

BOOST_AUTO_TEST_CASE(a_constant_dimension_becomes_zero) {
  Example example;
  for (std::size_t i = 0; i < example.trusted.num_rows; ++i) example.trusted.row(i)[3] = 0.1F;
  for (std::size_t i = 0; i < example.pool.num_rows; ++i) example.pool.row(i)[3] = 0.1F;
  const Classifier classifier = example.Distill(SmallOptions());
  BOOST_TEST(classifier.deviation[3] == 0);
  // Its value in new rows is of no importance then.
  const std::vector<float> before = classifier.Score(example.pool.view(), {});
  for (std::size_t i = 0; i < example.pool.num_rows; ++i) example.pool.row(i)[3] = 77;
  BOOST_TEST(classifier.Score(example.pool.view(), {}) == before, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(batches_of_one_row_and_of_all_rows_work) {
  const Example example;
  DistillationOptions options = SmallOptions(3);
  options.epochs = 1;
  std::vector<Classifier> trained;
  for (const std::size_t batch_size : {1, 261, 1'000'000}) {
    BOOST_TEST_CONTEXT("batch size " << batch_size) {
      options.batch_size = batch_size;
      const Classifier classifier = example.Distill(options);
      BOOST_REQUIRE_NO_THROW(classifier.Validate());
      BOOST_TEST(classifier.dimension == 10U);
      BOOST_TEST(classifier.hidden == 32U);
      for (const float score : classifier.Score(example.pool.view(), {})) {
        BOOST_TEST_REQUIRE((score >= 0 && score <= 1));
      }
      BOOST_TEST(SameWeights(classifier, example.Distill(options)));
      trained.push_back(classifier);
    }
  }
  // 261 steps are not one; beyond the 261 rows there is nothing to add to a batch.
  BOOST_TEST(!SameWeights(trained[0], trained[1]));
  BOOST_TEST(SameWeights(trained[1], trained[2]));
}

BOOST_AUTO_TEST_CASE(scores_equal_those_of_the_mlpack_network) {
  const Example example;
  const Classifier classifier = example.Distill(SmallOptions());
  mlpack::FFN<mlpack::NegativeLogLikelihoodType<arma::fmat>, mlpack::ConstInitialization,
              arma::fmat>
      network;
  network.Add<mlpack::LinearType<arma::fmat>>(classifier.hidden);
  network.Add<mlpack::ReLUType<arma::fmat>>();
  // Without the last layer: mlpack's log-softmax approximates exp to about 1e-5.
  network.Add<mlpack::LinearType<arma::fmat>>(2);
  network.Reset(classifier.dimension);
  arma::fmat& parameters = network.Parameters();
  std::size_t next = 0;
  auto put_transposed = [&](const std::vector<float>& weight, std::size_t rows,
                            std::size_t columns) {
    for (std::size_t column = 0; column < columns; ++column) {
      for (std::size_t row = 0; row < rows; ++row)
        parameters[next++] = weight[row * columns + column];
    }
  };
  put_transposed(classifier.hidden_weight, classifier.hidden, classifier.dimension);
  put_transposed(classifier.hidden_bias, classifier.hidden, 1);
  put_transposed(classifier.output_weight, 2, classifier.hidden);
  put_transposed(classifier.output_bias, 2, 1);
  BOOST_TEST_REQUIRE(next == parameters.n_elem);

  const Matrix rows = test::RandomRows(777, 10, 9, 0.5, 2);
  arma::fmat inputs(10, rows.num_rows);
  const Standardizer standardizer(classifier.mean, classifier.deviation);
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    standardizer.Apply(rows.view().row(i), inputs.colptr(i));
  }
  arma::fmat outputs;
  network.Predict(inputs, outputs);
  const std::vector<float> scores = classifier.Score(rows.view(), {});
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const double expected = 1 / (1 + std::exp(static_cast<double>(outputs(0, i)) - outputs(1, i)));
    BOOST_TEST_REQUIRE(std::abs(scores[i] - expected) < 2e-6);
  }
}

BOOST_AUTO_TEST_CASE(says_so_when_it_diverges) {
  const Example example;
  DistillationOptions options = SmallOptions();
  options.learning_rate = 1e30;
  BOOST_CHECK_EXCEPTION(example.Distill(options), std::runtime_error, [](const auto& error) {
    const std::string message = error.what();
    return message.starts_with("the distillation diverged; lower `learning-rate`") ||
           message.starts_with("the distilled network gives every training row the same score");
  });
}

BOOST_AUTO_TEST_CASE(says_so_when_the_output_is_constant) {
  // Without any difference between the rows there is nothing to learn.
  Example example;
  std::fill(example.pool.values.begin(), example.pool.values.end(), 1.0F);
  std::fill(example.trusted.values.begin(), example.trusted.values.end(), 1.0F);
  BOOST_CHECK_EXCEPTION(example.Distill(SmallOptions()), std::runtime_error, [](const auto& error) {
    return std::string(error.what())
        .starts_with("the distilled network gives every training row the same score, ");
  });
}

BOOST_AUTO_TEST_CASE(rejects_options_that_cannot_be_used) {
  const Example example;
  DistillationOptions options = SmallOptions();
  options.hidden = 0;
  BOOST_CHECK_THROW(example.Distill(options), std::invalid_argument);
  options = SmallOptions();
  options.learning_rate = -1;
  BOOST_CHECK_THROW(example.Distill(options), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(stops_when_asked) {
  const Example example;
  Execution execution;
  int questions = 0;
  execution.should_stop = [&] { return ++questions > 3; };
  BOOST_CHECK_THROW(example.Distill(SmallOptions(), execution), Interrupted);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
