#include "algorithms/guarantees/conformal.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

std::vector<float> SortedUniform(std::size_t count, SeededRandom& random) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.Uniform());
  std::ranges::sort(values);
  return values;
}

// By the formula, one score at a time.
double PlainPValue(const std::vector<float>& calibration, float score) {
  double count = 1;
  for (const float other : calibration) count += other >= score ? 1 : 0;
  return count / static_cast<double>(calibration.size() + 1);
}

BOOST_AUTO_TEST_SUITE(conformal)

BOOST_AUTO_TEST_CASE(p_values_count_the_calibration_rows_that_score_as_high) {
  CalibrationScores calibration;
  calibration.own = {0.1F, 0.2F, 0.2F, 0.9F};
  const std::vector<float> scores = {0.0F, 0.1F, 0.2F, 0.5F, 0.9F, 1.0F};
  const std::vector<double> p_values = PValues(calibration, {}, scores, {});
  for (std::size_t i = 0; i < scores.size(); ++i) {
    BOOST_TEST(p_values[i] == PlainPValue(calibration.own, scores[i]));
  }
  BOOST_TEST(p_values.back() == 0.2);
}

BOOST_AUTO_TEST_CASE(the_threshold_drops_exactly_the_rows_with_p_values_up_to_the_level) {
  SeededRandom random(1);
  for (const std::size_t n : {1U, 2U, 9U, 19U, 99U, 250U}) {
    const std::vector<float> own = SortedUniform(n, random);
    for (const double level : {0.01, 0.02, 0.05, 0.1, 0.5, 0.99}) {
      const double threshold = ThresholdAt(own, level);
      std::vector<float> scores = SortedUniform(50, random);
      scores.insert(scores.end(), own.begin(), own.end());
      for (const float score : scores) {
        BOOST_TEST_CONTEXT("n " << n << " level " << level << " score " << score) {
          BOOST_TEST((score >= threshold) == (PlainPValue(own, score) <= level + 1e-9));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(clean_rows_are_lost_at_the_level_and_not_above) {
  SeededRandom random(2);
  double lost = 0;
  const int repeats = 400;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const std::vector<float> own = SortedUniform(99, random);
    const double threshold = ThresholdAt(own, 0.05);
    for (const float score : SortedUniform(100, random)) lost += score >= threshold ? 0.01 : 0;
  }
  BOOST_TEST(std::abs(lost / repeats - 0.05) < 0.004);
}

BOOST_AUTO_TEST_CASE(rows_needed_are_those_that_make_the_level_possible) {
  BOOST_TEST(CalibrationRowsFor(0.01) == 99U);
  BOOST_TEST(CalibrationRowsFor(0.02) == 49U);
  BOOST_TEST(CalibrationRowsFor(0.03) == 33U);
  BOOST_TEST(CalibrationRowsFor(0.1) == 9U);
  for (const double level : {0.01, 0.02, 0.03, 0.05, 0.1, 0.3}) {
    const std::size_t needed = CalibrationRowsFor(level);
    BOOST_TEST(std::isfinite(ThresholdAt(std::vector<float>(needed, 0.5F), level)));
    BOOST_TEST(std::isinf(ThresholdAt(std::vector<float>(needed - 1, 0.5F), level)));
  }
}

BOOST_AUTO_TEST_CASE(false_drops_are_those_of_benjamini_and_hochberg) {
  // The third of five is the last one below its line at 0.1.
  BOOST_TEST(FalseDropCutoff({0.9, 0.01, 0.055, 0.03, 0.5}, 0.1, 1) == 0.055);
  BOOST_TEST(FalseDropCutoff({0.9, 0.5, 0.4}, 0.1, 1) == 0);
  BOOST_TEST(FalseDropCutoff({}, 0.1, 1) == 0);
  // Half of the rows being clean doubles the line.
  BOOST_TEST(FalseDropCutoff({0.9, 0.15, 0.8, 0.1, 0.5}, 0.2, 1) == 0);
  BOOST_TEST(FalseDropCutoff({0.9, 0.15, 0.8, 0.1, 0.5}, 0.2, 0.5) == 0.15);
}

BOOST_AUTO_TEST_CASE(of_the_dropped_rows_few_are_clean) {
  SeededRandom random(3);
  double false_share = 0;
  const int repeats = 200;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    CalibrationScores calibration;
    calibration.own = SortedUniform(400, random);
    // Half of the rows are shifted, and most of these score higher than nearly all clean ones.
    std::vector<float> scores = SortedUniform(500, random);
    for (int i = 0; i < 500; ++i) {
      scores.push_back(static_cast<float>(1 - 0.02 * random.Uniform() * random.Uniform()));
    }
    const std::vector<double> p_values = PValues(calibration, {}, scores, {});
    const double cutoff = FalseDropCutoff(p_values, 0.1, 1);
    double dropped = 0;
    double clean = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (p_values[i] > cutoff) continue;
      dropped += 1;
      clean += i < 500 ? 1 : 0;
    }
    false_share += dropped > 0 ? clean / dropped / repeats : 0;
  }
  BOOST_TEST(false_share < 0.06);
  BOOST_TEST(false_share > 0.03);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
