#include "algorithms/rows/duplicate_rows.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

BOOST_AUTO_TEST_SUITE(duplicate_rows)

BOOST_AUTO_TEST_CASE(counts_rows_that_are_also_elsewhere) {
  test::Matrix rows = test::RandomRows(30, 4, 1);
  test::Matrix others = test::RandomRows(50, 4, 2);
  BOOST_TEST(CountRowsAlsoIn(rows.view(), others.view()) == 0U);
  std::copy_n(rows.row(3), 4, others.row(9));
  std::copy_n(rows.row(3), 4, others.row(10));  // twice there, still one row here
  std::copy_n(rows.row(8), 4, others.row(20));
  std::copy_n(rows.row(8), 4, rows.row(9));  // two equal rows here
  BOOST_TEST(CountRowsAlsoIn(rows.view(), others.view()) == 3U);
  BOOST_TEST(CountRowsAlsoIn(rows.view(), rows.view()) == 30U);
  BOOST_TEST(CountRowsAlsoIn(rows.view(), {nullptr, 0, 4}) == 0U);
}

BOOST_AUTO_TEST_CASE(compares_values_not_bytes) {
  const test::Matrix zero{1, 2, {0.0F, 1.0F}};
  const test::Matrix minus_zero{1, 2, {-0.0F, 1.0F}};
  BOOST_TEST(CountRowsAlsoIn(zero.view(), minus_zero.view()) == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
