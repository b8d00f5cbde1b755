#pragma once

#include <cstdint>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/strata.h"

namespace spuna::algorithms {

/// The p-value of "the pool's rows are drawn like the trusted rows".
///
/// A classifier two-sample test: a ridge regression learns "trusted or pool?" on four of five folds
/// and scores the fifth. Shifted rows are often few and far out, so
///
/// - what the scores are asked is how far pool rows reach into their upper tenth, beside how they
///   rank on average, and
/// - the regression is repeated four times on the upper three tenths, where the shifted rows are
///   denser, and added.
///
/// Scores of five folds depend on each other, and no formula knows how: so the same is done with
/// labels that are drawn anew, 199 times, and the p-value counts how many come as far. It is exact
/// for any data: at most a share p of pools without shift has a p-value of p or less. Labels are
/// drawn within strata. A ridge regression is linear in its labels, so all 200 cost hardly more
/// than one.
///
/// Looks at 5,000 trusted rows and 10,000 pool rows, evenly taken, where there are more.
double TestShift(const EmbeddingsView& trusted, const EmbeddingsView& pool, const Strata& strata,
                 std::uint64_t seed, const Execution& execution);

}  // namespace spuna::algorithms
