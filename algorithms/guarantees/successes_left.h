#pragma once

#include <cstdint>

#include "algorithms/guarantees/binomial_interval.h"

namespace spuna::algorithms {

/// How many successes are left among `rest` others, once `trials` were drawn at random, without
/// replacement, from them all and `successes` of those were found. Of K successes among
/// N = `trials` + `rest`, the number X that is found has a hypergeometric distribution. With
/// a = (1 - level) / 2,
///
///   low  = the smallest K with P(X >= successes | K) > a,  less the successes found,
///   high = the largest  K with P(X <= successes | K) > a,  less the successes found,
///
/// so that whatever K is, what is left lies within `low` and `high` with at least the probability
/// `level`. The estimate is rest · successes / trials. Where the rest is large beside the trials
/// this is `BinomialInterval` times the rest; where it is not, the binomial is wrong: it knows the
/// probability of a success and not what is left of them.
///
/// Trials that do not count alike have an effective number, which need not be whole: it is rounded
/// down, and the successes down for `low` and up for `high`. With less than one trial everything is
/// possible: from 0 to `rest`.
///
/// Throws std::invalid_argument as `BinomialInterval` does, and where `rest` is below 0.
Interval SuccessesLeft(double successes, double trials, std::int64_t rest, double level = 0.95);

}  // namespace spuna::algorithms
