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

BOOST_AUTO_TEST_CASE(of_equal_rows_the_first_is_kept) {
  test::Matrix rows = test::RandomRows(200, 4, 1);
  BOOST_TEST(DistinctRows(rows.view()) == AllRows(200), boost::test_tools::per_element());
  for (const std::size_t copy : {5, 17, 199}) std::copy_n(rows.row(3), 4, rows.row(copy));
  std::copy_n(rows.row(100), 4, rows.row(101));
  RowNumbers expected = AllRows(200);
  std::erase_if(expected,
                [](std::uint32_t i) { return i == 5 || i == 17 || i == 199 || i == 101; });
  BOOST_TEST(DistinctRows(rows.view()) == expected, boost::test_tools::per_element());
  BOOST_TEST(DistinctRows({nullptr, 0, 4}).empty());
  const test::Matrix zeros{2, 1, {0.0F, -0.0F}};
  BOOST_TEST(DistinctRows(zeros.view()).size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
