#include "algorithms/space/row_limits.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

using test::RandomRows;

// How long a row is in spreads from the center.
double Norm(const RowLimits& limits, const float* row) {
  double sum = 0;
  for (std::size_t j = 0; j < limits.center.size(); ++j) {
    const double z = (row[j] - limits.center[j]) / limits.spread[j];
    sum += z * z;
  }
  return std::sqrt(sum);
}

BOOST_AUTO_TEST_SUITE(row_limits)

BOOST_AUTO_TEST_CASE(ordinary_rows_stay_as_they_are) {
  for (const std::size_t dimension : {1, 3, 16, 200}) {
    const RowLimits limits = FitRowLimits(RandomRows(500, dimension, 1, 5).view());
    const test::Matrix fresh = RandomRows(3000, dimension, 2, 5);
    BOOST_TEST(limits.RowsBeyond(fresh.view(), {}).empty());
    Matrix copy;
    BOOST_TEST(limits.Clipped(fresh.view(), copy, {}).data == fresh.values.data());
  }
}

BOOST_AUTO_TEST_CASE(rows_far_out_are_clipped_where_they_lie) {
  const RowLimits limits = FitRowLimits(RandomRows(500, 16, 1).view());
  test::Matrix rows = RandomRows(600, 16, 2);
  const float largest = std::numeric_limits<float>::max();
  std::fill_n(rows.row(7), 16, 1e30F);
  rows.row(8)[3] = -largest;
  std::fill_n(rows.row(599), 16, largest);
  Execution two_threads;
  two_threads.num_threads = 2;
  BOOST_TEST((limits.RowsBeyond(rows.view(), two_threads) == RowNumbers{7, 8, 599}));
  Matrix copy;
  const EmbeddingsView clipped = limits.Clipped(rows.view(), copy, two_threads);
  for (std::size_t i = 0; i < clipped.num_rows; ++i) {
    BOOST_TEST(Norm(limits, clipped.row(i)) <= limits.largest_norm * 1.0001);
  }
  BOOST_TEST(clipped.row(7)[0] > 0);
  BOOST_TEST(clipped.row(8)[3] < 0);
  // The others are what they were, and clipping again changes nothing.
  BOOST_TEST(std::equal(clipped.row(0), clipped.row(7), rows.view().row(0)));
  Matrix again;
  const EmbeddingsView twice = limits.Clipped(clipped, again, {});
  for (std::size_t k = 0; k < 600 * 16; ++k) {
    BOOST_TEST_REQUIRE(std::abs(twice.data[k] - clipped.data[k]) <= 1e-5F);
  }
}

BOOST_AUTO_TEST_CASE(broken_trusted_rows_move_no_limit) {
  test::Matrix trusted = RandomRows(500, 8, 1);
  const RowLimits before = FitRowLimits(trusted.view());
  std::fill_n(trusted.row(3), 8, 1e30F);
  const RowLimits after = FitRowLimits(trusted.view());
  BOOST_TEST(after.largest_norm < 1.1 * before.largest_norm);
  for (std::size_t j = 0; j < 8; ++j) BOOST_TEST(after.spread[j] < 1.3F * before.spread[j]);
  BOOST_TEST((after.RowsBeyond(trusted.view(), {}) == RowNumbers{3}));
}

BOOST_AUTO_TEST_CASE(columns_without_spread_take_that_of_the_others) {
  test::Matrix trusted = RandomRows(300, 4, 1, 0, 10);
  for (std::size_t i = 0; i < 300; ++i) trusted.row(i)[2] = 1;
  const RowLimits limits = FitRowLimits(trusted.view());
  BOOST_TEST(limits.spread[2] > 10);
  const test::Matrix equal{20, 2, std::vector<float>(40, 3)};
  const RowLimits of_equal = FitRowLimits(equal.view());
  BOOST_TEST(of_equal.spread[0] == 1);
  BOOST_TEST(of_equal.RowsBeyond(equal.view(), {}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
