#include "algorithms/findings/shift_distance.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

EmbeddingsView View(const std::vector<float>& values, std::size_t dimension) {
  return {values.data(), values.size() / dimension, dimension};
}

ShiftDistance Measure(const std::vector<float>& trusted, const std::vector<float>& shifted) {
  return MeasureShiftDistance(View(trusted, 2), View(shifted, 2));
}

BOOST_AUTO_TEST_SUITE(shift_distance)

BOOST_AUTO_TEST_CASE(a_right_angle_by_hand) {
  // Means (1, 0) and (0, 2); each trusted row lies 1 from its mean.
  const ShiftDistance distance = Measure({1, 1, 1, -1}, {0, 1, 0, 3});
  BOOST_TEST(std::abs(distance.cosine - 1) < 1e-12);
  BOOST_TEST(std::abs(distance.euclidean - std::sqrt(5.0)) < 1e-12);
  BOOST_TEST(distance.trusted_spread == 1);
  BOOST_TEST(distance.in_spreads == distance.euclidean);
  BOOST_TEST((distance.reach == ShiftReach::kFar));
}

BOOST_AUTO_TEST_CASE(the_same_rows_lie_at_exactly_0) {
  const test::Matrix rows = test::HardRows(50, 7, 1);
  const ShiftDistance distance = MeasureShiftDistance(rows.view(), rows.view());
  BOOST_TEST(distance.cosine == 0);
  BOOST_TEST(distance.euclidean == 0);
  BOOST_TEST(distance.in_spreads == 0);
  BOOST_TEST((distance.reach == ShiftReach::kNear));
}

BOOST_AUTO_TEST_CASE(the_border_lies_between_the_papers_near_and_far_datasets) {
  // Unit vectors at the angles of GenImage and ImageNet-R.
  for (const double cosine_distance : {0.0041, 0.0144, 0.0366, 0.0651}) {
    const double cosine = 1 - cosine_distance;
    const ShiftDistance distance = Measure(
        {1, 0}, {static_cast<float>(cosine), static_cast<float>(std::sqrt(1 - cosine * cosine))});
    BOOST_TEST_CONTEXT(cosine_distance) {
      BOOST_TEST(std::abs(distance.cosine - cosine_distance) < 1e-6);
      BOOST_TEST((distance.reach == ShiftReach::kFar) == (cosine_distance > 0.02));
    }
  }
}

BOOST_AUTO_TEST_CASE(means_of_0_and_no_spread) {
  const ShiftDistance both = Measure({1, 0, -1, 0}, {0, 3, 0, -3});
  BOOST_TEST(both.cosine == 0);
  BOOST_TEST(both.in_spreads == 0);
  const ShiftDistance one = Measure({1, 0, -1, 0}, {0, 3});
  BOOST_TEST(one.cosine == 1);
  BOOST_TEST(one.in_spreads == 3);
  const ShiftDistance alike = Measure({1, 1}, {2, 2});
  BOOST_TEST(alike.cosine < 1e-15);
  BOOST_TEST(alike.trusted_spread == 0);
  BOOST_TEST(std::isinf(alike.in_spreads));
  BOOST_TEST(Measure({1, 1}, {1, 1}).in_spreads == 0);
}

BOOST_AUTO_TEST_CASE(largest_numbers_stay_finite) {
  const ShiftDistance distance = Measure({3e38F, 0, 3e38F, 1}, {-3e38F, 0});
  BOOST_TEST(std::abs(distance.cosine - 2) < 1e-12);
  BOOST_TEST(std::isfinite(distance.euclidean));
}

BOOST_AUTO_TEST_CASE(rows_are_needed_on_both_sides) {
  BOOST_CHECK_EXCEPTION(Measure({1, 1}, {}), std::invalid_argument, [](const auto& error) {
    return std::string(error.what()) ==
           "a distance needs rows on both sides, but there are 1 trusted and 0 shifted rows";
  });
  const std::vector<float> values(6);
  BOOST_CHECK_THROW(MeasureShiftDistance(View(values, 2), View(values, 3)), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
