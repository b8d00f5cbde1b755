#include "algorithms/expansion/expansion.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "algorithms/expansion/spectral_entropy.h"

namespace spuna::algorithms {
namespace {

// The two ends of a ranking.
struct Extremes {
  RowNumbers lowest;
  RowNumbers highest;
};

// How many rows become pseudo-clean and pseudo-shifted at once.
struct Counts {
  std::size_t clean = 0;
  std::size_t shifted = 0;
};

// The lowest and highest of `rows`, both ascending by row number.
Extremes TakeExtremes(std::span<const std::uint32_t> rows, std::span<const double> scores,
                      std::size_t num_lowest, std::size_t num_highest) {
  const RowNumbers order = AscendingOrder(scores);
  auto take = [&](std::size_t begin, std::size_t end) {
    RowNumbers taken;
    for (std::size_t i = begin; i < end; ++i) taken.push_back(rows[order[i]]);
    std::sort(taken.begin(), taken.end());
    return taken;
  };
  return {take(0, num_lowest), take(order.size() - num_highest, order.size())};
}

class LabelExpander {
 public:
  LabelExpander(std::size_t num_trusted_rows, const EmbeddingsView& pool,
                const ExpansionOptions& options, const Execution& execution)
      : pool_(pool),
        options_(options),
        execution_(execution),
        to_clean_(pool.num_rows, std::min(options.num_neighbors, num_trusted_rows + pool.num_rows)),
        to_shifted_(pool.num_rows, std::min(options.num_neighbors, pool.num_rows)),
        entropy_(pool.dimension) {
    result_.labels.assign(pool.num_rows, PseudoLabel::kNone);
    result_.rounds.assign(pool.num_rows, -1);
  }

  Expansion Run(const EmbeddingsView& trusted, std::span<const double> seed_scores,
                const ExpansionRecord& record) && {
    if (record.begin) {
      Resume(trusted, *record.begin);
    } else {
      Seed(trusted, seed_scores);
    }
    do {
      if (record.on_round) record.on_round(result_);
    } while (ExpandOnce());
    return std::move(result_);
  }

 private:
  bool IsEven() const { return options_.share == 0.5; }

  Counts SeedCounts() const {
    if (IsEven()) return {options_.alpha, options_.alpha};
    const double n = static_cast<double>(pool_.num_rows);
    auto at_most_half = [&](double share) {
      return std::clamp<std::size_t>(static_cast<std::size_t>(share * n / 2), 1, options_.alpha);
    };
    return {at_most_half(1 - options_.share), at_most_half(options_.share)};
  }

  // Of the rows without a label. None on either side ends the expansion.
  Counts RoundCounts(std::size_t num_rest) const {
    if (IsEven()) {
      const std::size_t count = std::min(options_.beta, num_rest / 2);
      return {count, count};
    }
    const std::size_t total = std::min(2 * options_.beta, num_rest);
    // Of all labels so far, so that rounding does not add up over small rounds.
    const auto aim = static_cast<std::size_t>(
        std::floor(options_.share * static_cast<double>(pool_.num_rows - num_rest + total) + 0.5));
    const std::size_t shifted = std::min(total, aim > num_shifted_ ? aim - num_shifted_ : 0);
    return {total - shifted, shifted};
  }

  void Seed(const EmbeddingsView& trusted, std::span<const double> seed_scores) {
    execution_.Report({Stage::kSeed, 0, 1});
    const RowNumbers all = AllRows(pool_.num_rows);
    MakeNeighborIndex(options_.search, trusted, options_.num_neighbors)
        ->MergeNearest({pool_, all}, execution_, to_clean_);
    std::vector<double> scores(seed_scores.begin(), seed_scores.end());
    if (scores.empty()) {
      scores.resize(pool_.num_rows);
      for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = to_clean_.Minimum(i);
    }
    const Counts counts = SeedCounts();
    Extremes seeds = TakeExtremes(all, scores, counts.clean, counts.shifted);
    Label(std::move(seeds.lowest), std::move(seeds.highest), 0);
  }

  // Takes the labels of earlier rounds. Distances are exact and the smallest are kept whatever the
  // order in which they come, so it does not matter that the rows which have a label by now get
  // none, and that the rounds are merged at once; the sums of the entropy take them one by one.
  void Resume(const EmbeddingsView& trusted, const Expansion& labeled) {
    result_ = labeled;
    const auto last = static_cast<std::int32_t>(labeled.num_rounds);
    RowNumbers clean;
    RowNumbers shifted;
    for (std::int32_t round = 0; round <= last; ++round) {
      execution_.CheckStop();
      clean.insert(clean.end(), added_clean_.begin(), added_clean_.end());
      shifted.insert(shifted.end(), added_shifted_.begin(), added_shifted_.end());
      added_clean_.clear();
      added_shifted_.clear();
      for (std::size_t i = 0; i < labeled.labels.size(); ++i) {
        if (labeled.rounds[i] != round) continue;
        const bool is_clean = labeled.labels[i] == PseudoLabel::kClean;
        (is_clean ? added_clean_ : added_shifted_).push_back(static_cast<std::uint32_t>(i));
      }
      num_shifted_ += added_shifted_.size();
      entropy_.Add(pool_, added_shifted_);
    }
    // The rows of the last round are merged by the next.
    execution_.Report({Stage::kSeed, 0, 1});
    const RowNumbers rest = result_.RowsWith(PseudoLabel::kNone);
    const Queries queries{pool_, rest};
    MakeNeighborIndex(options_.search, trusted, options_.num_neighbors)
        ->MergeNearest(queries, execution_, to_clean_);
    MakeNeighborIndex(options_.search, pool_, clean, options_.num_neighbors)
        ->MergeNearest(queries, execution_, to_clean_);
    MakeNeighborIndex(options_.search, pool_, shifted, options_.num_neighbors)
        ->MergeNearest(queries, execution_, to_shifted_);
  }

  // Runs a round; false when it was the last, or when there was none left to run.
  bool ExpandOnce() {
    const RowNumbers rest = result_.RowsWith(PseudoLabel::kNone);
    const Counts counts = RoundCounts(rest.size());
    if (counts.clean + counts.shifted == 0) return false;

    // The banks have grown by the rows added last, and the rest has only shrunk.
    execution_.Report({Stage::kExpand, pool_.num_rows - rest.size(), pool_.num_rows});
    const Queries queries{pool_, rest};
    MakeNeighborIndex(options_.search, pool_, added_clean_, options_.num_neighbors)
        ->MergeNearest(queries, execution_, to_clean_);
    MakeNeighborIndex(options_.search, pool_, added_shifted_, options_.num_neighbors)
        ->MergeNearest(queries, execution_, to_shifted_);
    std::vector<double> scores(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) {
      scores[i] = to_shifted_.Mean(rest[i]) - to_clean_.Mean(rest[i]);
    }
    Extremes added = TakeExtremes(rest, scores, counts.shifted, counts.clean);
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
    num_shifted_ += added_shifted_.size();
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
  std::size_t num_shifted_ = 0;
  RowNumbers added_clean_;
  RowNumbers added_shifted_;
  Expansion result_;
};

}  // namespace

void RequireRows(const EmbeddingsView& trusted, const EmbeddingsView& pool) {
  if (trusted.num_rows == 0) throw std::invalid_argument("there are no valid trusted rows");
  if (pool.num_rows == 0) throw std::invalid_argument("there are no valid pool rows");
  if (trusted.dimension != pool.dimension) {
    throw std::invalid_argument("trusted rows have dimension " + std::to_string(trusted.dimension) +
                                " but pool rows have dimension " + std::to_string(pool.dimension));
  }
}

void RequireSpread(const EmbeddingsView& pool) {
  for (std::size_t i = 1; i < pool.num_rows; ++i) {
    if (!std::equal(pool.row(i), pool.row(i) + pool.dimension, pool.row(0))) return;
  }
  throw std::invalid_argument("all " + std::to_string(pool.num_rows) +
                              " pool rows are identical: without any spread nothing can be told "
                              "apart");
}

void ExpansionOptions::Validate(std::size_t num_pool_rows) const {
  if (alpha < 1 || beta < 1 || num_neighbors < 1) {
    throw std::invalid_argument("`alpha`, `beta` and `k` must be at least 1, but are " +
                                std::to_string(alpha) + ", " + std::to_string(beta) + " and " +
                                std::to_string(num_neighbors));
  }
  if (!(share > 0 && share < 1)) {
    throw std::invalid_argument("the share of shifted rows must be between 0 and 1");
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
                       const ExpansionOptions& options, const Execution& execution,
                       std::span<const double> seed_scores, const ExpansionRecord& record) {
  RequireRows(trusted, pool);
  options.Validate(pool.num_rows);
  RequireSpread(pool);
  return LabelExpander(trusted.num_rows, pool, options, execution)
      .Run(trusted, seed_scores, record);
}

Expansion NoLabels(std::size_t num_pool_rows) {
  Expansion expansion;
  expansion.labels.assign(num_pool_rows, PseudoLabel::kNone);
  expansion.rounds.assign(num_pool_rows, -1);
  expansion.stopped_by = StoppedBy::kNoShift;
  return expansion;
}

}  // namespace spuna::algorithms
