#include "algorithms/guarantees/successes_left.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace spuna::algorithms {
namespace {

BOOST_AUTO_TEST_SUITE(successes_left)

double LogChoose(int n, int k) {
  return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
}

// The probability of `found` successes in a draw of `trials` from `rows` with `all` successes.
double Hypergeometric(int rows, int all, int trials, int found) {
  if (found > all || trials - found > rows - all) return 0;
  return std::exp(LogChoose(all, found) + LogChoose(rows - all, trials - found) -
                  LogChoose(rows, trials));
}

BOOST_AUTO_TEST_CASE(covers_every_number_often_enough) {
  double least = 1;
  for (const double level : {0.8, 0.95}) {
    for (const int rows : {1, 2, 7, 40, 120}) {
      for (int trials = 1; trials <= rows; trials += 1 + rows / 9) {
        std::vector<Interval> intervals;
        for (int found = 0; found <= trials; ++found) {
          intervals.push_back(SuccessesLeft(found, trials, rows - trials, level));
        }
        for (int all = 0; all <= rows; ++all) {
          double covered = 0;
          for (int found = 0; found <= trials; ++found) {
            const Interval& interval = intervals[static_cast<std::size_t>(found)];
            if (interval.low <= all - found && all - found <= interval.high) {
              covered += Hypergeometric(rows, all, trials, found);
            }
          }
          BOOST_TEST_CONTEXT("level " << level << ", " << trials << " of " << rows << " rows, "
                                      << all << " successes") {
            BOOST_TEST(covered >= level - 1e-9);
          }
          if (level == 0.95) least = std::min(least, covered);
        }
      }
    }
  }
  // Nor are the intervals wider than they must be.
  BOOST_TEST(least < 0.96);
}

// The definition, by counting up instead of halving.
BOOST_AUTO_TEST_CASE(ends_where_the_tails_of_the_draw_do) {
  constexpr int kRows = 60;
  for (const int trials : {5, 20, 58}) {
    for (int found = 0; found <= trials; ++found) {
      int low = kRows, high = -1;
      for (int all = found; all <= kRows - trials + found; ++all) {
        double at_least = 0, at_most = 0;
        for (int i = 0; i <= trials; ++i) {
          const double probability = Hypergeometric(kRows, all, trials, i);
          if (i >= found) at_least += probability;
          if (i <= found) at_most += probability;
        }
        if (at_least > 0.025) low = std::min(low, all - found);
        if (at_most > 0.025) high = std::max(high, all - found);
      }
      const Interval interval = SuccessesLeft(found, trials, kRows - trials);
      BOOST_TEST_CONTEXT(found << " of " << trials) {
        BOOST_TEST(interval.estimate == static_cast<double>(kRows - trials) * found / trials,
                   boost::test_tools::tolerance(1e-12));
        BOOST_TEST(interval.low == std::min<double>(low, interval.estimate));
        BOOST_TEST(interval.high == std::max<double>(high, interval.estimate));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(is_the_binomial_one_where_the_rest_is_large) {
  // On both sides of where counts end.
  for (const std::int64_t rest : {90'000'000, 110'000'000}) {
    const Interval share = BinomialInterval(7, 30);
    const Interval left = SuccessesLeft(7, 30, rest);
    const auto rows = static_cast<double>(rest);
    BOOST_TEST(left.estimate == rows * share.estimate, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(left.low == rows * share.low, boost::test_tools::tolerance(1e-5));
    BOOST_TEST(left.high == rows * share.high, boost::test_tools::tolerance(1e-5));
  }
}

BOOST_AUTO_TEST_CASE(knows_what_is_left_of_few_rows) {
  // All but one were seen, and the one may be either.
  const Interval one = SuccessesLeft(5, 10, 1);
  BOOST_TEST(one.low == 0.0);
  BOOST_TEST(one.estimate == 0.5);
  BOOST_TEST(one.high == 1.0);
  const Interval none = SuccessesLeft(3, 10, 0);
  BOOST_TEST(none.low == 0.0);
  BOOST_TEST(none.high == 0.0);
  // Where all of 30 were successes, hardly one of the last 10 is none.
  BOOST_TEST(SuccessesLeft(30, 30, 10).low == 8.0);
  BOOST_TEST(SuccessesLeft(30, 30, 10).high == 10.0);
}

BOOST_AUTO_TEST_CASE(takes_numbers_that_are_not_whole) {
  const Interval between = SuccessesLeft(4.4, 10.5, 200);
  BOOST_TEST(between.estimate == 200 * 4.4 / 10.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(between.low == SuccessesLeft(4, 10, 200).low);
  BOOST_TEST(between.high == SuccessesLeft(5, 10, 200).high);
  // A sum of fractions that means 8 of 10.
  const Interval rounded = SuccessesLeft(8 - 4e-15, 10 - 4e-15, 200);
  BOOST_TEST(rounded.low == SuccessesLeft(8, 10, 200).low);
  BOOST_TEST(rounded.high == SuccessesLeft(8, 10, 200).high);
  const Interval little = SuccessesLeft(0.2, 0.3, 50);
  BOOST_TEST(little.low == 0.0);
  BOOST_TEST(little.high == 50.0);
}

BOOST_AUTO_TEST_CASE(is_everything_without_trials) {
  const Interval interval = SuccessesLeft(0, 0, 12);
  BOOST_TEST(interval.estimate == 0.0);
  BOOST_TEST(interval.low == 0.0);
  BOOST_TEST(interval.high == 12.0);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_count) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_CHECK_THROW(SuccessesLeft(-1, 3, 1), std::invalid_argument);
  BOOST_CHECK_THROW(SuccessesLeft(4, 3, 1), std::invalid_argument);
  BOOST_CHECK_THROW(SuccessesLeft(nan, 3, 1), std::invalid_argument);
  BOOST_CHECK_THROW(SuccessesLeft(1, 3, -1), std::invalid_argument);
  BOOST_CHECK_THROW(SuccessesLeft(1, 3, 1, 1), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
