#include "algorithms/classifier/linear_discriminant.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "algorithms/compute/logistic.h"
#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

// Rows whose first dimensions lie far from 0 and whose last are correlated, and what they are.
struct Lesson {
  test::Matrix rows;
  std::vector<float> targets;

  Lesson(std::size_t num_rows, std::size_t dimension) {
    rows = test::RandomRows(num_rows, dimension, 1);
    for (std::size_t i = 0; i < num_rows; ++i) {
      float* const row = rows.row(i);
      for (std::size_t j = 1; j < dimension; ++j) row[j] = 0.2F * row[j] + row[0];
      targets.push_back(row[1] - row[0] > 0.1F ? 1.0F : i % 3 == 0 ? 0.5F : 0.0F);
      row[0] = 1000 + row[0] / 100;
      // Beyond 8 deviations.
      if (i == 5) row[dimension - 1] = 1e6F;
    }
  }
};

// The standardized values of a row in float64, cut off at ±8.
std::vector<double> Standardized(const LinearDiscriminant& fitted, const float* row) {
  std::vector<double> values;
  for (std::size_t j = 0; j < fitted.weight.size(); ++j) {
    const double deviation = fitted.standardization.deviation[j];
    const double value = deviation == 0 ? 0 : (row[j] - fitted.standardization.mean[j]) / deviation;
    values.push_back(std::clamp(value, -8.0, 8.0));
  }
  return values;
}

// The largest derivative of the loss, written out.
double LargestDerivative(const LinearDiscriminant& fitted, const EmbeddingsView& rows,
                         const RowTargets& lesson) {
  const std::vector<float> weights = BalancedWeights(lesson.targets, lesson.counts);
  const auto n = static_cast<double>(rows.num_rows);
  std::vector<double> derivatives(rows.dimension + 1);
  for (std::size_t j = 0; j < rows.dimension; ++j) derivatives[j] = fitted.weight[j] / (0.01 * n);
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const std::vector<double> values = Standardized(fitted, rows.row(i));
    double logit = fitted.bias + (lesson.offsets.empty() ? 0 : lesson.offsets[i]);
    for (std::size_t j = 0; j < values.size(); ++j) logit += fitted.weight[j] * values[j];
    const double error = weights[i] * (Logistic(logit) - lesson.targets[i]) / n;
    for (std::size_t j = 0; j < values.size(); ++j) derivatives[j] += error * values[j];
    derivatives.back() += error;
  }
  double largest = 0;
  for (const double derivative : derivatives) largest = std::max(largest, std::abs(derivative));
  return largest;
}

BOOST_AUTO_TEST_SUITE(linear_discriminant)

BOOST_AUTO_TEST_CASE(the_minimum_is_found_with_many_rows_and_with_few) {
  for (const std::size_t num_rows : {6, 15, 16, 40, 900}) {
    for (const bool has_offsets : {false, true}) {
      const Lesson lesson(num_rows, 16);
      std::vector<float> offsets;
      std::vector<float> counts;
      for (std::size_t i = 0; has_offsets && i < num_rows; ++i) {
        offsets.push_back(i % 2 == 0 ? 0.7F : -0.7F);
        counts.push_back(i % 5 == 0 ? 2.0F : 1.0F);
      }
      const RowTargets targets{lesson.targets, offsets, counts};
      const LinearDiscriminant fitted = FitLinearDiscriminant(lesson.rows.view(), targets, {});
      BOOST_TEST_CONTEXT(num_rows << " rows, " << offsets.size() << " offsets") {
        BOOST_TEST(LargestDerivative(fitted, lesson.rows.view(), targets) < 1e-4);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(three_iterations_come_near_the_minimum) {
  const Lesson lesson(900, 16);
  const RowTargets targets{lesson.targets};
  const double whole = LargestDerivative(FitLinearDiscriminant(lesson.rows.view(), targets, {}, 1),
                                         lesson.rows.view(), targets);
  const double near = LargestDerivative(FitLinearDiscriminant(lesson.rows.view(), targets, {}, 3),
                                        lesson.rows.view(), targets);
  BOOST_TEST(near < 0.02);
  BOOST_TEST(near < whole);
}

BOOST_AUTO_TEST_CASE(logits_are_those_of_the_standardized_rows) {
  const Lesson lesson(200, 16);
  const LinearDiscriminant fitted = FitLinearDiscriminant(lesson.rows.view(), {lesson.targets}, {});
  const std::vector<double> logits = fitted.Logits(lesson.rows.view());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const std::vector<double> values = Standardized(fitted, lesson.rows.view().row(i));
    double expected = fitted.bias;
    for (std::size_t j = 0; j < values.size(); ++j) expected += fitted.weight[j] * values[j];
    BOOST_TEST(std::abs(logits[i] - expected) < 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(constant_dimensions_and_numbers_of_any_size_do_no_harm) {
  Lesson lesson(300, 16);
  for (std::size_t i = 0; i < 300; ++i) {
    float* const row = lesson.rows.row(i);
    row[3] = 7;
    row[4] *= 1e-38F;
    row[5] *= 1e37F;
    // Two neighboring float32 numbers, whose mean is none.
    row[6] = i % 2 == 0 ? 16777216.0F : 16777218.0F;
  }
  const RowTargets targets{lesson.targets};
  const LinearDiscriminant fitted = FitLinearDiscriminant(lesson.rows.view(), targets, {});
  BOOST_TEST(fitted.standardization.deviation[3] == 0);
  for (const double weight : fitted.weight) BOOST_TEST(std::isfinite(weight));
  BOOST_TEST(LargestDerivative(fitted, lesson.rows.view(), targets) < 1e-4);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
