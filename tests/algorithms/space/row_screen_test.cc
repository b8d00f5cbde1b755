#include "algorithms/space/row_screen.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

using test::RandomRows;

RowScreen Fit(const test::Matrix& trusted, const test::Matrix& pool) {
  return FitRowScreen(trusted.view(), pool.view(), {}, 0.001, 0, {});
}

std::size_t CountOf(OddRow kind, const RowScreen& screen, const test::Matrix& rows) {
  return static_cast<std::size_t>(std::ranges::count(screen.Check(rows.view(), {}).odd, kind));
}

BOOST_AUTO_TEST_SUITE(row_screen)

BOOST_AUTO_TEST_CASE(rows_of_one_number_are_odd_where_no_trusted_row_is_one) {
  for (const double mean : {0.0, 5.0}) {
    test::Matrix trusted = RandomRows(400, 12, 1, mean);
    test::Matrix pool = RandomRows(1000, 12, 2, mean);
    for (std::size_t i = 0; i < 30; ++i) std::fill_n(pool.row(i), 12, 0.0F);
    for (std::size_t i = 30; i < 40; ++i)
      std::fill_n(pool.row(i), 12, static_cast<float>(mean) + 1);
    const RowScreen screen = Fit(trusted, pool);
    BOOST_TEST(CountOf(OddRow::kZero, screen, pool) == 30U);
    BOOST_TEST(CountOf(OddRow::kConstant, screen, pool) == 10U);
    std::fill_n(trusted.row(0), 12, 0.0F);
    const RowScreen knows_zeros = Fit(trusted, pool);
    BOOST_TEST(CountOf(OddRow::kZero, knows_zeros, pool) == 0U);
    BOOST_TEST(CountOf(OddRow::kConstant, knows_zeros, pool) == 10U);
  }
}

BOOST_AUTO_TEST_CASE(a_column_alone_is_never_constant) {
  const RowScreen screen = Fit(RandomRows(100, 1, 1), RandomRows(100, 1, 2));
  BOOST_TEST(CountOf(OddRow::kConstant, screen, RandomRows(100, 1, 3)) == 0U);
}

BOOST_AUTO_TEST_CASE(rows_that_repeat_are_odd_where_no_trusted_row_resembles_them) {
  test::Matrix trusted = RandomRows(400, 12, 1);
  test::Matrix pool = RandomRows(1000, 12, 2);
  const test::Matrix odd = RandomRows(1, 12, 3, 0, 2.5);
  for (std::size_t i = 0; i < 30; ++i) std::copy_n(odd.values.data(), 12, pool.row(i));
  const RowScreen screen = Fit(trusted, pool);
  BOOST_TEST(screen.repeated.num_rows() == 1U);
  BOOST_TEST(CountOf(OddRow::kRepeated, screen, pool) == 30U);

  // A trusted row that equals them, copies that are few, and one that is like any other.
  std::copy_n(odd.values.data(), 12, trusted.row(5));
  BOOST_TEST(Fit(trusted, pool).repeated.num_rows() == 0U);
  trusted = RandomRows(400, 12, 1);
  test::Matrix few = RandomRows(1000, 12, 2);
  for (std::size_t i = 0; i < 5; ++i) std::copy_n(odd.values.data(), 12, few.row(i));
  BOOST_TEST(Fit(trusted, few).repeated.num_rows() == 0U);
  test::Matrix usual = RandomRows(1000, 12, 2);
  for (std::size_t i = 0; i < 30; ++i) std::fill_n(usual.row(i), 12, i % 2 == 0 ? 0.01F : -0.0F);
  for (std::size_t i = 0; i < 30; ++i) usual.row(i)[0] = 0.1F;
  BOOST_TEST(Fit(trusted, usual).repeated.num_rows() == 0U);
}

BOOST_AUTO_TEST_CASE(rows_that_are_odd_beyond_doubt_outscore_all_others_the_farther_the_more) {
  RowScreen::Result result;
  result.cutoff = 5;
  result.odd = {OddRow::kNo, OddRow::kFar, OddRow::kFar, OddRow::kFar, OddRow::kZero};
  result.distances = {4, 6, 11, 3e38F, 0};
  BOOST_TEST(result.Joined(0, 0.3F) == 0.3F);
  BOOST_TEST(result.Joined(1, 0.3F) == 0.3F);
  BOOST_TEST(result.Joined(2, 0.3F) > 1);
  BOOST_TEST(result.Joined(3, 0) > result.Joined(2, 1));
  BOOST_TEST(result.Joined(3, 0) < 2);
  BOOST_TEST(result.Joined(4, 0) >= result.Joined(3, 0));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
