#include "algorithms/guarantees/binomial_interval.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace spuna::algorithms {
namespace {

BOOST_AUTO_TEST_SUITE(binomial_interval)

// The probability of k successes among n.
double Binomial(int n, int k, double p) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                  k * std::log(p) + (n - k) * std::log1p(-p));
}

BOOST_AUTO_TEST_CASE(has_known_values) {
  // Without successes and without failures the quantiles have closed forms.
  for (const int n : {1, 5, 30}) {
    const Interval none = BinomialInterval(0, n);
    BOOST_TEST(none.estimate == 0.0);
    BOOST_TEST(none.low == 0.0);
    BOOST_TEST(none.high == 1 - std::pow(0.025, 1.0 / n), boost::test_tools::tolerance(1e-12));
    const Interval all = BinomialInterval(n, n);
    BOOST_TEST(all.estimate == 1.0);
    BOOST_TEST(all.low == std::pow(0.025, 1.0 / n), boost::test_tools::tolerance(1e-12));
    BOOST_TEST(all.high == 1.0);
  }
  // Widely printed: 5 of 10 at 95 %.
  const Interval half = BinomialInterval(5, 10);
  BOOST_TEST(half.estimate == 0.5);
  BOOST_TEST(half.low == 0.1870860, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(half.high == 0.8129140, boost::test_tools::tolerance(1e-6));
}

// The definition: at either end the tail of the binomial has half of what is left of the level.
BOOST_AUTO_TEST_CASE(ends_where_the_tails_of_the_binomial_do) {
  for (const double level : {0.8, 0.95, 0.975}) {
    for (int n = 1; n <= 40; n += 3) {
      for (int k = 0; k <= n; ++k) {
        const Interval interval = BinomialInterval(k, n, level);
        double at_least = 0;
        for (int i = k; i <= n && k > 0; ++i) at_least += Binomial(n, i, interval.low);
        double at_most = 0;
        for (int i = 0; i <= k && k < n; ++i) at_most += Binomial(n, i, interval.high);
        BOOST_TEST_CONTEXT("level " << level << ", " << k << " of " << n) {
          if (k > 0) BOOST_TEST(std::abs(at_least - (1 - level) / 2) < 1e-9);
          if (k < n) BOOST_TEST(std::abs(at_most - (1 - level) / 2) < 1e-9);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(covers_every_probability_often_enough) {
  double least = 1;
  for (int n = 1; n <= 60; ++n) {
    std::vector<Interval> intervals;
    for (int k = 0; k <= n; ++k) intervals.push_back(BinomialInterval(k, n));
    for (int step = 1; step < 200; ++step) {
      const double p = step / 200.0;
      double covered = 0;
      for (int k = 0; k <= n; ++k) {
        const Interval& interval = intervals[static_cast<std::size_t>(k)];
        if (interval.low <= p && p <= interval.high) covered += Binomial(n, k, p);
      }
      BOOST_TEST_CONTEXT("n = " << n << ", p = " << p) { BOOST_TEST(covered >= 0.95 - 1e-12); }
      least = std::min(least, covered);
    }
  }
  // Nor are the intervals wider than they must be.
  BOOST_TEST(least < 0.955);
}

BOOST_AUTO_TEST_CASE(takes_numbers_that_are_not_whole) {
  const Interval below = BinomialInterval(4, 10);
  const Interval between = BinomialInterval(4.4, 10.5);
  const Interval above = BinomialInterval(5, 11);
  BOOST_TEST(between.estimate == 4.4 / 10.5);
  BOOST_TEST(below.low < between.low);
  BOOST_TEST(between.low < above.low);
  // More trials of the same share say more.
  BOOST_TEST(BinomialInterval(8.8, 21).high < between.high);
  const Interval little = BinomialInterval(0.2, 0.3);
  BOOST_TEST(0 < little.low);
  BOOST_TEST(little.low < little.estimate);
  BOOST_TEST(little.estimate < little.high);
  BOOST_TEST(little.high < 1);
}

BOOST_AUTO_TEST_CASE(is_everything_without_trials) {
  const Interval interval = BinomialInterval(0, 0);
  BOOST_TEST(interval.estimate == 0.0);
  BOOST_TEST(interval.low == 0.0);
  BOOST_TEST(interval.high == 1.0);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_count) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  BOOST_CHECK_THROW(BinomialInterval(-1, 3), std::invalid_argument);
  BOOST_CHECK_THROW(BinomialInterval(4, 3), std::invalid_argument);
  BOOST_CHECK_THROW(BinomialInterval(nan, 3), std::invalid_argument);
  BOOST_CHECK_THROW(BinomialInterval(1, infinity), std::invalid_argument);
  BOOST_CHECK_THROW(BinomialInterval(1, 3, 1), std::invalid_argument);
  BOOST_CHECK_THROW(BinomialInterval(1, 3, 0), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
