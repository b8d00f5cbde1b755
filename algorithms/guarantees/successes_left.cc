#include "algorithms/guarantees/successes_left.h"

#include <algorithm>
#include <boost/math/distributions/hypergeometric.hpp>
#include <cmath>
#include <ranges>
#include <stdexcept>

#include "algorithms/compute/format_number.h"

namespace spuna::algorithms {
namespace {

// Effective numbers are sums of fractions: so close to a whole number they mean it.
constexpr double kRounding = 1e-9;
// Above this many rows the binomial says the same, and counts would no longer be Boost's.
constexpr double kMostRows = 1e8;

// Draws of `trials` rows from `rows`.
class Draw {
 public:
  Draw(std::int64_t trials, std::int64_t rest) : trials_(trials), rows_(trials + rest) {}

  // The fewest successes left that still yield `found` or more with a probability above `tail`.
  std::int64_t FewestLeft(std::int64_t found, double tail) const {
    return SmallestLeft(found, [&](std::int64_t all) { return AtLeast(found, all) > tail; });
  }

  // The most successes left that still yield `found` or fewer: one below the first that does not.
  std::int64_t MostLeft(std::int64_t found, double tail) const {
    return SmallestLeft(found, [&](std::int64_t all) { return AtMost(found, all) <= tail; }) - 1;
  }

 private:
  using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  using Distribution = boost::math::hypergeometric_distribution<double, Policy>;

  // The smallest number left for which the condition holds; from there on it does. One more than
  // all the rest where it never does.
  template <typename Condition>
  std::int64_t SmallestLeft(std::int64_t found, Condition&& holds) const {
    const auto left = std::views::iota(std::int64_t{0}, rows_ - trials_ + 1);
    const auto first =
        std::ranges::partition_point(left, [&](std::int64_t more) { return !holds(found + more); });
    return first - left.begin();
  }

  Distribution Of(std::int64_t all) const {
    return Distribution(static_cast<unsigned>(all), static_cast<unsigned>(trials_),
                        static_cast<unsigned>(rows_));
  }

  double AtMost(std::int64_t found, std::int64_t all) const {
    return boost::math::cdf(Of(all), static_cast<unsigned>(found));
  }

  double AtLeast(std::int64_t found, std::int64_t all) const {
    const std::int64_t fewer = found - 1;
    // So few cannot be found.
    if (fewer < std::max<std::int64_t>(0, trials_ + all - rows_)) return 1;
    return boost::math::cdf(boost::math::complement(Of(all), static_cast<unsigned>(fewer)));
  }

  std::int64_t trials_;
  std::int64_t rows_;
};

}  // namespace

Interval SuccessesLeft(double successes, double trials, std::int64_t rest, double level) {
  if (rest < 0) throw std::invalid_argument("expected a rest of at least 0 rows");
  const Interval share = BinomialInterval(successes, trials, level);
  const auto rows = static_cast<double>(rest);
  Interval left{rows * share.estimate, rows * share.low, rows * share.high};
  if (trials + rows > kMostRows) return left;
  const double whole_trials = std::floor(trials + kRounding);
  if (whole_trials == 0) return {left.estimate, 0, rows};
  const double found = share.estimate * whole_trials;
  const Draw draw(static_cast<std::int64_t>(whole_trials), rest);
  const double tail = (1 - level) / 2;
  const auto fewest =
      draw.FewestLeft(static_cast<std::int64_t>(std::floor(found + kRounding)), tail);
  const auto most = draw.MostLeft(static_cast<std::int64_t>(std::ceil(found - kRounding)), tail);
  left.low = std::min(static_cast<double>(fewest), left.estimate);
  left.high = std::max(static_cast<double>(most), left.estimate);
  return left;
}

}  // namespace spuna::algorithms
