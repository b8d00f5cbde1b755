#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/neighbors/neighbor_index.h"
#include "algorithms/rows/embeddings_view.h"
#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {

/// What the expansion made of a pool row.
enum class PseudoLabel : std::int8_t { kNone, kClean, kShifted };

/// What becomes of the rows of the round in which the entropy fell.
enum class OnStop { kKeep, kRollback };

/// Why the expansion ended.
enum class StoppedBy {
  kEntropy,
  kExhausted,
  kRounds,   ///< as many rounds as there may be were run, or none was needed
  kNoShift,  ///< nothing was found to expand from: no row has a label
};

struct ExpansionOptions {
  /// Rows a side that start the expansion.
  std::size_t alpha = 30;
  /// Rows a side that each round adds at most.
  std::size_t beta = 1500;
  /// Neighbors whose mean distance ranks a row.
  std::size_t num_neighbors = 100;
  /// The expansion stops after the first round in which the entropy grows by less than this.
  double epsilon = 0;
  OnStop on_stop = OnStop::kKeep;
  SearchKind search = SearchKind::kAuto;
  /// The share of shifted rows to aim at: of the 2 * beta rows of a round this share becomes
  /// pseudo-shifted, the rest pseudo-clean. The paper's expansion is even: one half.
  double share = 0.5;

  /// Throws std::invalid_argument where a value can't be used for a pool of this size.
  void Validate(std::size_t num_pool_rows) const;
};

struct Expansion {
  /// One entry a pool row.
  std::vector<PseudoLabel> labels;
  /// The round that labeled the row, 0 for seeds, -1 where there is no label.
  std::vector<std::int32_t> rounds;
  /// The spectral entropy of the pseudo-shifted rows after each round, from round 0 on.
  std::vector<double> entropy;
  /// Rounds run after round 0, a rolled-back one included.
  std::size_t num_rounds = 0;
  StoppedBy stopped_by = StoppedBy::kExhausted;

  /// The pool rows with this label, ascending.
  RowNumbers RowsWith(PseudoLabel label) const;
};

/// How an interrupted expansion is resumed.
struct ExpansionRecord {
  /// The labels after a finished round of the same expansion, to start from.
  std::optional<Expansion> begin;
  /// Called after each round but the last with the labels so far; may be empty.
  std::function<void(const Expansion&)> on_round;
};

/// Labels pool rows as clean or shifted, from the trusted rows outwards (S-PUNA, section 4):
///
///     round 0:  s_orig(x) = min over trusted t of |x - t|;
///               the alpha lowest become pseudo-clean, the alpha highest pseudo-shifted
///     round t:  s_t(x) = d_N(x) - d_P(x) over the rest, where
///               d_P = mean distance to the k nearest trusted and pseudo-clean rows,
///               d_N = mean distance to the k nearest pseudo-shifted rows;
///               the b highest become pseudo-clean, the b lowest pseudo-shifted, at once,
///               b = min(beta, floor(rest / 2))
///     stop:     after the first round with H_t - H_{t-1} < epsilon, or when b = 0
///
/// Where `seed_scores` has a score for every pool row (higher is more shifted) it stands in for
/// s_orig. With another `share` than one half neither side gets more seeds than half of the rows
/// that it should have in the end, and the last round takes all that is left.
///
/// Every ranking is one ascending order by (score, row number). The result depends on the rows and
/// the options alone, not on `execution` and not on the round from which it is resumed. Throws
/// std::invalid_argument for options that don't fit the data, Interrupted when asked to stop.
Expansion ExpandLabels(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                       const ExpansionOptions& options, const Execution& execution,
                       std::span<const double> seed_scores = {},
                       const ExpansionRecord& record = {});

/// Throws std::invalid_argument without rows on either side or where the dimensions differ.
void RequireRows(const EmbeddingsView& trusted, const EmbeddingsView& pool);

/// Throws std::invalid_argument where all rows are equal.
void RequireSpread(const EmbeddingsView& pool);

/// The labels of a pool in which nothing is shifted: none.
Expansion NoLabels(std::size_t num_pool_rows);

}  // namespace spuna::algorithms
