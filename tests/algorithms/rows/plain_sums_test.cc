#include "algorithms/rows/plain_sums.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

BOOST_AUTO_TEST_SUITE(plain_sums)

BOOST_AUTO_TEST_CASE(distances_and_lengths_of_small_rows_are_exact) {
  const std::vector<float> a = {1, 2, 3};
  const std::vector<float> b = {4, -2, 3};
  BOOST_TEST(PlainSquaredDistance(a.data(), b.data(), 3) == 25);
  BOOST_TEST(PlainSquaredDistance(a.data(), a.data(), 3) == 0);
  BOOST_TEST(PlainSquaredNorm(a.data(), 3) == 14);
  BOOST_TEST(PlainSquaredNorm(a.data(), 0) == 0);
}

BOOST_AUTO_TEST_CASE(the_largest_numbers_do_not_overflow) {
  const float largest = std::numeric_limits<float>::max();
  const std::vector<float> a = {largest, largest};
  const std::vector<float> b = {-largest, -largest};
  BOOST_TEST(std::isfinite(PlainSquaredDistance(a.data(), b.data(), 2)));
  BOOST_TEST(std::isfinite(PlainSquaredNorm(a.data(), 2)));
}

// A sum in another order would change the models' bits.
BOOST_AUTO_TEST_CASE(values_are_added_one_after_the_other) {
  const test::Matrix rows = test::RandomRows(2, 100, 1);
  double distance = 0;
  double norm = 0;
  for (std::size_t j = 0; j < 100; ++j) {
    const double x = rows.view().row(0)[j];
    const double difference = x - rows.view().row(1)[j];
    distance += difference * difference;
    norm += x * x;
  }
  BOOST_TEST(PlainSquaredDistance(rows.view().row(0), rows.view().row(1), 100) == distance);
  BOOST_TEST(PlainSquaredNorm(rows.view().row(0), 100) == norm);
}

BOOST_AUTO_TEST_CASE(the_mean_row_is_that_of_each_dimension) {
  const test::Matrix rows{4, 2, {1, 10, 2, 20, 3, 30, 6, 40}};
  BOOST_TEST(MeanRow(rows.view()) == (std::vector<double>{3, 25}),
             boost::test_tools::per_element());
  BOOST_TEST(MeanRow(RowSet(2)) == (std::vector<double>{0, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
