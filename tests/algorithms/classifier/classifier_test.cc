#include "algorithms/classifier/classifier.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

using test::Matrix;

Classifier RandomClassifier(std::size_t dimension, std::size_t hidden) {
  Classifier classifier;
  classifier.dimension = dimension;
  classifier.hidden = hidden;
  classifier.mean.assign(dimension, 0.25);
  classifier.deviation.assign(dimension, 2);
  classifier.hidden_weight = test::RandomRows(hidden, dimension, 1, 0, 0.3).values;
  classifier.hidden_bias = test::RandomRows(hidden, 1, 2).values;
  classifier.output_weight = test::RandomRows(2, hidden, 3, 0, 0.3).values;
  classifier.output_bias = {0.1F, -0.2F};
  return classifier;
}

// The network in float64, one row at a time.
double ScoreReference(const Classifier& c, const float* row) {
  std::vector<double> outputs = {c.output_bias[0], c.output_bias[1]};
  for (std::size_t h = 0; h < c.hidden; ++h) {
    double activation = c.hidden_bias[h];
    for (std::size_t j = 0; j < c.dimension; ++j) {
      activation += c.hidden_weight[h * c.dimension + j] * (row[j] - c.mean[j]) / c.deviation[j];
    }
    for (std::size_t o = 0; o < 2; ++o) {
      outputs[o] += c.output_weight[o * c.hidden + h] * std::max(activation, 0.0);
    }
  }
  return std::exp(outputs[1]) / (std::exp(outputs[0]) + std::exp(outputs[1]));
}

BOOST_AUTO_TEST_SUITE(classifier)

BOOST_AUTO_TEST_CASE(matches_the_network_in_float64) {
  for (const std::size_t dimension : {1, 2, 33}) {
    for (const std::size_t hidden : {1, 7, 64}) {
      const Classifier classifier = RandomClassifier(dimension, hidden);
      const Matrix rows = test::RandomRows(300, dimension, 4);
      const std::vector<float> scores = classifier.Score(rows.view(), {});
      for (std::size_t i = 0; i < rows.num_rows; ++i) {
        BOOST_TEST_REQUIRE(std::abs(scores[i] - ScoreReference(classifier, rows.view().row(i))) <
                           1e-6);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(threads_do_not_change_a_bit) {
  const Classifier classifier = RandomClassifier(20, 48);
  const Matrix rows = test::RandomRows(2000, 20, 5);
  const std::vector<float> expected = classifier.Score(rows.view(), {});
  Execution execution;
  execution.num_threads = 4;
  BOOST_TEST(classifier.Score(rows.view(), execution) == expected,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_row_in_another_batch_scores_the_same_to_the_bit) {
  for (const std::size_t hidden : {3, 17, 64, 512}) {
    for (const std::size_t dimension : {1, 6, 64, 240, 255, 768}) {
      const Classifier classifier = RandomClassifier(dimension, hidden);
      const Matrix rows = test::RandomRows(900, dimension, 6);
      const std::vector<float> whole = classifier.Score(rows.view(), {});
      for (const std::size_t begin : {0, 1, 5, 303, 400}) {
        for (const std::size_t count : {1, 2, 7, 15, 16, 17, 100, 303, 304, 305, 500}) {
          const EmbeddingsView part{rows.view().row(begin), count, dimension};
          const std::vector<float> scores = classifier.Score(part, {});
          const bool same = std::equal(scores.begin(), scores.end(),
                                       whole.begin() + static_cast<std::ptrdiff_t>(begin));
          BOOST_TEST(same, "hidden " << hidden << ", dimension " << dimension << ", " << count
                                     << " rows from " << begin);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_non_finite_row_disturbs_no_other) {
  const Classifier classifier = RandomClassifier(5, 8);
  Matrix rows = test::RandomRows(40, 5, 7);
  const std::vector<float> expected = classifier.Score(rows.view(), {});
  rows.row(11)[2] = std::numeric_limits<float>::quiet_NaN();
  rows.row(12)[0] = std::numeric_limits<float>::infinity();
  const std::vector<float> scores = classifier.Score(rows.view(), {});
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    if (i != 11 && i != 12) BOOST_TEST(scores[i] == expected[i]);
  }
}

BOOST_AUTO_TEST_CASE(no_rows_and_extreme_rows_are_scored) {
  const Classifier classifier = RandomClassifier(5, 8);
  BOOST_TEST(classifier.Score({nullptr, 0, 5}, {}).empty());
  Classifier narrow = classifier;
  narrow.deviation.assign(5, 1e-30);
  Matrix huge = test::RandomRows(10, 5, 8, 0, 1e37);
  huge.row(3)[1] = std::numeric_limits<float>::max();
  for (const Classifier& scoring : {classifier, narrow}) {
    for (const float score : scoring.Score(huge.view(), {})) {
      BOOST_TEST((score >= 0 && score <= 1));
    }
  }
}

BOOST_AUTO_TEST_CASE(rejects_rows_and_parts_that_do_not_fit) {
  Classifier classifier = RandomClassifier(5, 8);
  const Matrix rows = test::RandomRows(10, 4, 8);
  BOOST_CHECK_EXCEPTION(classifier.Score(rows.view(), {}), std::invalid_argument,
                        [](const auto& error) {
                          return std::string(error.what()) ==
                                 "the model expects dimension 5 but the rows have dimension 4";
                        });
  classifier.Validate();
  classifier.hidden_bias[3] = std::numeric_limits<float>::infinity();
  BOOST_CHECK_THROW(classifier.Validate(), std::invalid_argument);
  classifier.hidden_bias.pop_back();
  BOOST_CHECK_THROW(classifier.Validate(), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
