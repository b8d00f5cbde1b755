#include "algorithms/rows/near_copies.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "algorithms/rows/ranking.h"
#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

// A value with the eleven binary digits of float16.
float Rounded(float value) {
  int exponent = 0;
  const float mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::round(mantissa * 2048) / 2048, exponent);
}

void CopyRounded(test::Matrix& from, std::size_t row, test::Matrix& to, std::size_t to_row) {
  std::transform(from.row(row), from.row(row) + from.dimension, to.row(to_row), Rounded);
}

// By comparing all pairs.
std::size_t CountSlowly(const test::Matrix& rows, const test::Matrix& others, double distance) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    bool found = false;
    for (std::size_t j = 0; j < others.num_rows && !found; ++j) {
      double squared = 0;
      for (std::size_t k = 0; k < rows.dimension; ++k) {
        squared += std::pow(static_cast<double>(rows.view().row(i)[k]) -
                                static_cast<double>(others.view().row(j)[k]),
                            2);
      }
      found = std::sqrt(squared) <= distance;
    }
    count += found ? 1 : 0;
  }
  return count;
}

BOOST_AUTO_TEST_SUITE(near_copies)

BOOST_AUTO_TEST_CASE(copies_rounded_to_float16_are_found) {
  for (const std::size_t dimension : {8, 64, 768}) {
    // Rows far from 0 lose more by rounding.
    test::Matrix rows = test::RandomRows(300, dimension, 1, 3);
    test::Matrix others = test::RandomRows(2000, dimension, 2, 3);
    const double distance = NearCopyDistance(rows.view());
    BOOST_TEST(CountNearCopies(rows.view(), others.view(), distance) == 0U);
    for (std::size_t i = 0; i < 50; ++i) CopyRounded(rows, 3 * i, others, 7 * i);
    BOOST_TEST(CountNearCopies(rows.view(), others.view(), distance) == 50U);
  }
}

BOOST_AUTO_TEST_CASE(agrees_with_comparing_all_pairs) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const test::Matrix rows = test::HardRows(120, 8, seed);
      const test::Matrix others = test::HardRows(150, 8, seed + 100);
      for (const double distance : {0.0, 0.01, 0.5}) {
        BOOST_TEST(CountNearCopies(rows.view(), others.view(), distance) ==
                   CountSlowly(rows, others, distance));
        BOOST_TEST(CountNearCopies(rows.view(), rows.view(), distance) == 120U);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(other_rows_near_by_are_no_copies) {
  test::Matrix rows = test::RandomRows(300, 64, 1);
  test::Matrix others = test::RandomRows(300, 64, 2);
  // A tenth of the spread: another encoding of the same picture.
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    others.values[i] = rows.values[i] + 0.1F * others.values[i];
  }
  BOOST_TEST(CountNearCopies(rows.view(), others.view(), NearCopyDistance(rows.view())) == 0U);
}

BOOST_AUTO_TEST_CASE(few_dimensions_or_rows_have_exact_copies_only) {
  BOOST_TEST(NearCopyDistance(test::RandomRows(300, 7, 1).view()) == 0);
  BOOST_TEST(NearCopyDistance(test::RandomRows(11, 64, 1).view()) == 0);
  BOOST_TEST(NearCopyDistance({nullptr, 0, 64}) == 0);
  BOOST_TEST(NearCopyDistance(test::RandomRows(12, 64, 1).view()) > 0);
  const test::Matrix rows = test::RandomRows(30, 2, 1);
  BOOST_TEST(CountNearCopies(rows.view(), rows.view(), 0) == 30U);
  BOOST_TEST(CountNearCopies(rows.view(), {nullptr, 0, 2}, 0) == 0U);
}

BOOST_AUTO_TEST_CASE(copies_of_every_row_do_not_hide_each_other) {
  test::Matrix once = test::RandomRows(100, 16, 1);
  test::Matrix rows{300, 16, std::vector<float>(4800)};
  for (std::size_t i = 0; i < 100; ++i) {
    std::copy_n(once.row(i), 16, rows.row(i));
    CopyRounded(once, i, rows, 100 + i);
    std::transform(once.row(i), once.row(i) + 16, rows.row(200 + i),
                   [](float value) { return value * 1.0001F; });
  }
  const std::vector<std::uint32_t> groups =
      NearCopyGroups(rows.view(), NearCopyDistance(rows.view()));
  for (std::uint32_t i = 0; i < 300; ++i) BOOST_TEST(groups[i] == i % 100);
}

BOOST_AUTO_TEST_CASE(a_row_without_near_copies_is_its_own_group) {
  const test::Matrix rows = test::RandomRows(500, 16, 1);
  BOOST_TEST(NearCopyGroups(rows.view(), NearCopyDistance(rows.view())) == AllRows(500),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(many_rows_that_agree_take_no_long_time) {
  // All pairs would be 4e9.
  const test::Matrix equal{60'000, 8, std::vector<float>(480'000, 1.5F)};
  BOOST_TEST(CountNearCopies(equal.view(), equal.view(), 0.1) == 60'000U);
  const std::vector<std::uint32_t> groups = NearCopyGroups(equal.view(), 0.1);
  BOOST_TEST(std::ranges::count(groups, 0U) == 60'000);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
