#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/groups.h"
#include "algorithms/rows/strata.h"

namespace spuna::algorithms {

struct ShiftTestResult {
  double p_value = 1;
  /// The smallest that so few groups can have, where there are groups: one in so many ways to say
  /// which groups are the pool's.
  std::optional<double> least_p_value;
};

/// The p-value of "the pool's rows are drawn like the trusted rows".
///
/// A classifier two-sample test: a ridge regression learns "trusted or pool?" and scores every row
/// as it would without having seen it. Shifted rows are often few and far out, so
///
/// - the regression is repeated on the rows that score highest, where shifted rows are denser, or
///   on labels of its own, and
/// - what the scores are asked is how far pool rows reach into their upper tenth.
///
/// Three such scores are added up: repeated four times on the upper three tenths, eight times on
/// the upper fifth, and three times on its own labels. For many rows that differ a little there is
/// the mean rank of the pool's rows beside it; the farther of the two counts.
///
/// Scores of rows that learn from each other depend on each other, and no formula knows how: so the
/// same is done with labels that are drawn anew, 399 times, and the p-value counts how many come as
/// far. It is exact for any data: at most a share p of pools without shift has a p-value of p or
/// less. Labels are drawn within strata. A ridge regression is linear in its labels, so all 400
/// cost little more than one. The seed decides nothing but which labels are drawn: no split of the
/// rows makes one p-value differ from another.
///
/// Rows of a group are alike. With groups a row is scored as without its whole group, and groups
/// get other labels as a whole: the p-value is exact if the pool's groups are drawn like the
/// trusted ones. Groups whose rows are of the same strata exchange labels.
///
/// Looks at 5,000 trusted rows and 10,000 pool rows, evenly taken, where there are more; of a group
/// at 100 rows, or at fewer where all groups would have more than 15,000.
ShiftTestResult TestShift(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                          const Strata& strata, const Groups& groups, std::uint64_t seed,
                          const Execution& execution);

}  // namespace spuna::algorithms
