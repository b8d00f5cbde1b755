#include "algorithms/expansion.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "algorithms/spectral_entropy.h"

namespace spuna::algorithms {
namespace {

// The two ends of a ranking.
struct Extremes {
  RowNumbers lowest;
  RowNumbers highest;
};

// The `count` lowest and highest of `rows`, both ascending by row number.
Extremes TakeExtremes(std::span<const std::uint32_t> rows, std::span<const double> scores,
                      std::size_t count) {
  const RowNumbers order = AscendingOrder(scores);
  auto take = [&](auto begin) {
    RowNumbers taken;
    for (auto it = begin; it != begin + static_cast<std::ptrdiff_t>(count); ++it) {
      taken.push_back(rows[*it]);
    }
    std::sort(taken.begin(), taken.end());
    return taken;
  };
  return {take(order.begin()), take(order.end() - static_cast<std::ptrdiff_t>(count))};
}

class LabelExpander {
 public:
  // Either bank gets at most half of the pool, so its lists need be no longer.
  LabelExpander(std::size_t num_trusted_rows, const EmbeddingsView& pool,
                const ExpansionOptions& options, const Execution& execution)
      : pool_(pool),
        options_(options),
        execution_(execution),
        to_clean_(pool.num_rows,
                  std::min(options.num_neighbors, num_trusted_rows + pool.num_rows / 2)),
        to_shifted_(pool.num_rows, std::min(options.num_neighbors, pool.num_rows / 2)),
        entropy_(pool.dimension) {
    result_.labels.assign(pool.num_rows, PseudoLabel::kNone);
    result_.rounds.assign(pool.num_rows, -1);
  }

  Expansion Run(const EmbeddingsView& trusted) && {
    Seed(trusted);
    while (ExpandOnce()) {
    }
    return std::move(result_);
  }

 private:
  void Seed(const EmbeddingsView& trusted) {
    execution_.Report({Stage::kSeed, 0, 1});
    const RowNumbers all = AllRows(pool_.num_rows);
    MakeNeighborIndex(options_.search, trusted)->MergeNearest({pool_, all}, execution_, to_clean_);
    std::vector<double> scores(pool_.num_rows);
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = to_clean_.Minimum(i);
    Extremes seeds = TakeExtremes(all, scores, options_.alpha);
    Label(std::move(seeds.lowest), std::move(seeds.highest), 0);
  }

  // Runs a round; false when it was the last, or when there was none left to run.
  bool ExpandOnce() {
    const RowNumbers rest = result_.RowsWith(PseudoLabel::kNone);
    const std::size_t count = std::min(options_.beta, rest.size() / 2);
    if (count == 0) return false;

    // The banks have grown by the rows added last, and the rest has only shrunk.
    execution_.Report({Stage::kExpand, pool_.num_rows - rest.size(), pool_.num_rows});
    const Queries queries{pool_, rest};
    MakeNeighborIndex(options_.search, pool_, added_clean_)
        ->MergeNearest(queries, execution_, to_clean_);
    MakeNeighborIndex(options_.search, pool_, added_shifted_)
        ->MergeNearest(queries, execution_, to_shifted_);
    std::vector<double> scores(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) {
      scores[i] = to_shifted_.Mean(rest[i]) - to_clean_.Mean(rest[i]);
    }
    Extremes added = TakeExtremes(rest, scores, count);
    ++result_.num_rounds;
    Label(std::move(added.highest), std::move(added.lowest),
          static_cast<std::int32_t>(result_.num_rounds));

    const double growth = result_.entropy.back() - result_.entropy[result_.entropy.size() - 2];
    if (!(growth < options_.epsilon)) return true;
    result_.stopped_by = StoppedBy::kEntropy;
    if (options_.on_stop == OnStop::kRollback) {
      for (const RowNumbers* rows : {&added_clean_, &added_shifted_}) {
        SetLabels(*rows, PseudoLabel::kNone, -1);
      }
    }
    return false;
  }

  void Label(RowNumbers clean, RowNumbers shifted, std::int32_t round) {
    added_clean_ = std::move(clean);
    added_shifted_ = std::move(shifted);
    SetLabels(added_clean_, PseudoLabel::kClean, round);
    SetLabels(added_shifted_, PseudoLabel::kShifted, round);
    execution_.CheckStop();
    execution_.Report({Stage::kEntropy, 0, 0});
    entropy_.Add(pool_, added_shifted_);
    result_.entropy.push_back(entropy_.Value());
  }

  void SetLabels(const RowNumbers& rows, PseudoLabel label, std::int32_t round) {
    for (const std::uint32_t row : rows) {
      result_.labels[row] = label;
      result_.rounds[row] = round;
    }
  }

  const EmbeddingsView pool_;
  const ExpansionOptions& options_;
  const Execution& execution_;
  NearestDistances to_clean_;
  NearestDistances to_shifted_;
  SpectralEntropy entropy_;
  RowNumbers added_clean_;
  RowNumbers added_shifted_;
  Expansion result_;
};

bool AllRowsEqual(const EmbeddingsView& rows) {
  for (std::size_t i = 1; i < rows.num_rows; ++i) {
    if (!std::equal(rows.row(i), rows.row(i) + rows.dimension, rows.row(0))) return false;
  }
  return true;
}

}  // namespace

void ExpansionOptions::Validate(std::size_t num_pool_rows) const {
  if (alpha < 1 || beta < 1 || num_neighbors < 1) {
    throw std::invalid_argument("`alpha`, `beta` and `k` must be at least 1, but are " +
                                std::to_string(alpha) + ", " + std::to_string(beta) + " and " +
                                std::to_string(num_neighbors));
  }
  if (!std::isfinite(epsilon)) throw std::invalid_argument("`epsilon` must be a finite number");
  if (alpha > num_pool_rows / 2) {
    throw std::invalid_argument(
        "2 * `alpha` must not exceed the number of valid pool rows, but `alpha` is " +
        std::to_string(alpha) + " and the pool has " + std::to_string(num_pool_rows) +
        " valid rows; lower `alpha` or give a larger pool");
  }
}

RowNumbers Expansion::RowsWith(PseudoLabel label) const {
  RowNumbers rows;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == label) rows.push_back(static_cast<std::uint32_t>(i));
  }
  return rows;
}

Expansion ExpandLabels(const EmbeddingsView& trusted, const EmbeddingsView& pool,
                       const ExpansionOptions& options, const Execution& execution) {
  if (trusted.num_rows == 0) throw std::invalid_argument("there are no valid trusted rows");
  if (pool.num_rows == 0) throw std::invalid_argument("there are no valid pool rows");
  if (trusted.dimension != pool.dimension) {
    throw std::invalid_argument("trusted rows have dimension " + std::to_string(trusted.dimension) +
                                " but pool rows have dimension " + std::to_string(pool.dimension));
  }
  options.Validate(pool.num_rows);
  if (AllRowsEqual(pool)) {
    throw std::invalid_argument("all " + std::to_string(pool.num_rows) +
                                " pool rows are identical: without any spread nothing can be told "
                                "apart");
  }
  return LabelExpander(trusted.num_rows, pool, options, execution).Run(trusted);
}

}  // namespace spuna::algorithms
