#include "algorithms/guarantees/binomial_interval.h"

#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <stdexcept>

#include "algorithms/compute/format_number.h"

namespace spuna::algorithms {
namespace {

double BetaQuantile(double a, double b, double probability) {
  // Numbers of Boost's own are left as double, which is precise enough and much faster to compile
  // and to run than long double.
  using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::ibeta_inv(a, b, probability, Policy());
}

}  // namespace

Interval BinomialInterval(double successes, double trials, double level) {
  if (!(level > 0 && level < 1)) {
    throw std::invalid_argument("expected a level between 0 and 1 but found " +
                                FormatNumber(level));
  }
  if (!(successes >= 0 && successes <= trials && std::isfinite(trials))) {
    throw std::invalid_argument("expected from 0 to " + FormatNumber(trials) +
                                " successes but found " + FormatNumber(successes));
  }
  if (trials == 0) return {0, 0, 1};
  const double failures = trials - successes;
  const double tail = (1 - level) / 2;
  Interval interval{successes / trials, 0, 1};
  if (successes > 0) interval.low = BetaQuantile(successes, failures + 1, tail);
  if (failures > 0) interval.high = BetaQuantile(successes + 1, failures, 1 - tail);
  return interval;
}

}  // namespace spuna::algorithms
