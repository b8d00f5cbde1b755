#include "algorithms/rows/copy_rows.h"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

BOOST_AUTO_TEST_SUITE(copy_rows)

BOOST_AUTO_TEST_CASE(rows_come_in_the_order_in_which_they_are_chosen) {
  const test::Matrix rows{3, 2, {0, 1, 10, 11, 20, 21}};
  const Matrix copy = CopyRows(rows.view(), {2, 0, 2});
  BOOST_TEST(copy.dimension == 2U);
  BOOST_TEST(copy.values == (std::vector<float>{20, 21, 0, 1, 20, 21}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(no_rows_keep_the_dimension) {
  const test::Matrix rows = test::RandomRows(3, 5, 1);
  const Matrix copy = CopyRows(rows.view(), {});
  BOOST_TEST(copy.dimension == 5U);
  BOOST_TEST(copy.num_rows() == 0U);
}

BOOST_AUTO_TEST_CASE(rows_are_added_after_those_that_are_there) {
  const test::Matrix first{2, 2, {0, 1, 10, 11}};
  const test::Matrix second{1, 2, {7, 8}};
  Matrix joined = CopyRows(first.view(), {1});
  AppendRows(second.view(), {0}, joined);
  AppendRows(first.view(), {0}, joined);
  BOOST_TEST(joined.values == (std::vector<float>{10, 11, 7, 8, 0, 1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
