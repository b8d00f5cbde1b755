#include "pipelines/fit/held_back_fit.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/rows/duplicate_rows.h"
#include "algorithms/rows/near_copies.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna {
namespace {

constexpr std::size_t kNumFolds = 5;
// With fewer groups of near copies than this there is nothing to split but the rows in them.
constexpr std::size_t kFewestGroups = 2 * kNumFolds;

// The valid rows in random order, near copies together. A row whose near copy was learned scores
// lower than new rows do, so both belong on one side of a split.
std::vector<algorithms::RowNumbers> ShuffledGroups(const FitInput& input, std::uint64_t seed) {
  const algorithms::EmbeddingsView view = input.rows.view();
  algorithms::RowNumbers rows = algorithms::AllRows(view.num_rows);
  algorithms::SeededRandom(seed).Shuffle(rows);
  const std::vector<std::uint32_t> first_row =
      algorithms::NearCopyGroups(view, algorithms::NearCopyDistance(view));
  std::vector<algorithms::RowNumbers> groups;
  constexpr std::size_t kNone = SIZE_MAX;
  std::vector<std::size_t> group_of(rows.size(), kNone);
  for (const std::uint32_t row : rows) {
    std::size_t& group = group_of[first_row[row]];
    if (group == kNone) {
      group = groups.size();
      groups.emplace_back();
    }
    groups[group].push_back(row);
  }
  if (groups.size() >= kFewestGroups) return groups;
  groups.clear();
  for (const std::uint32_t row : rows) groups.push_back({row});
  return groups;
}

// The trusted rows on the two sides of a split.
struct Sides {
  algorithms::RowNumbers held_out;
  algorithms::RowNumbers learned;
};

// Holds out the first groups that make up a number of rows, and no group larger than what is
// missing. Where a few rows are then still missing the smallest group fills up.
Sides Split(std::vector<algorithms::RowNumbers> groups, std::size_t num_held_out) {
  Sides sides;
  std::vector<algorithms::RowNumbers> left;
  auto hold_out = [&](const algorithms::RowNumbers& group) {
    sides.held_out.insert(sides.held_out.end(), group.begin(), group.end());
  };
  for (algorithms::RowNumbers& group : groups) {
    if (sides.held_out.size() + group.size() <= num_held_out) {
      hold_out(group);
    } else {
      left.push_back(std::move(group));
    }
  }
  if (sides.held_out.size() < num_held_out && left.size() > 1) {
    const auto smallest = std::ranges::min_element(left, {}, &algorithms::RowNumbers::size);
    hold_out(*smallest);
    left.erase(smallest);
  }
  for (const algorithms::RowNumbers& group : left) {
    sides.learned.insert(sides.learned.end(), group.begin(), group.end());
  }
  return sides;
}

// Puts rows at the end of a pool while it lives.
class EnlargedPool {
 public:
  EnlargedPool(FitInput& pool, const FitInput& added)
      : pool_(pool), num_values_(pool.rows.values.size()), num_rows_(pool.rows.valid.size()) {
    pool.rows.values.reserve(num_values_ + added.rows.values.size());
    for (std::uint32_t row = 0; row < added.rows.valid.size(); ++row) pool.AddRow(added, row);
  }
  ~EnlargedPool() {
    pool_.rows.values.resize(num_values_);
    pool_.rows.valid.resize(num_rows_);
    for (std::vector<std::string>* const texts : {&pool_.classes, &pool_.ids}) {
      if (!texts->empty()) texts->resize(static_cast<std::size_t>(pool_.rows.num_rows()));
    }
  }
  EnlargedPool(const EnlargedPool&) = delete;
  EnlargedPool& operator=(const EnlargedPool&) = delete;

 private:
  FitInput& pool_;
  std::size_t num_values_;
  std::size_t num_rows_;
};

std::vector<float> SortedScores(const algorithms::Classifier& classifier, const FitInput& rows,
                                StageClock& clock) {
  std::vector<float> scores = classifier.Score(rows.rows.view(), clock.Execution());
  std::ranges::sort(scores);
  return scores;
}

// Leaves out what a result has about rows that were added to the pool.
void DescribePoolAlone(const EmbeddingMatrix& pool, std::int64_t num_added, FitResult& result) {
  const auto num_rows = static_cast<std::size_t>(pool.num_rows());
  algorithms::Expansion& expansion = result.expansion;
  expansion.labels.resize(num_rows);
  expansion.rounds.resize(num_rows);
  if (result.neighbor_scores) result.neighbor_scores->resize(num_rows);
  FitSummary& summary = result.model.summary;
  summary.rows_pool = pool.num_rows();
  summary.labeled_clean =
      static_cast<std::int64_t>(expansion.RowsWith(algorithms::PseudoLabel::kClean).size());
  summary.labeled_shifted =
      static_cast<std::int64_t>(expansion.RowsWith(algorithms::PseudoLabel::kShifted).size());
  if (!summary.share) return;
  // None of the added rows is shifted.
  const double factor = static_cast<double>(num_rows + static_cast<std::size_t>(num_added)) /
                        static_cast<double>(num_rows);
  for (double* share : {&summary.share->estimate, &summary.share->low, &summary.share->high}) {
    *share = std::min(*share * factor, 1.0);
  }
}

}  // namespace

FitResult FitWithSplit(const FitInput& trusted, FitInput& pool, std::int64_t num_rows,
                       std::uint64_t seed, const FitExtras& extras, const FitFunction& fit,
                       StageClock& clock) {
  Sides sides = Split(ShuffledGroups(trusted, seed), static_cast<std::size_t>(num_rows));
  const FitInput held_out = trusted.Select(std::move(sides.held_out));
  const FitInput learned = trusted.Select(std::move(sides.learned));
  const std::int64_t num_held_out = held_out.rows.num_rows();
  FitResult result;
  {
    const EnlargedPool enlarged(pool, held_out);
    result = fit(learned, pool, extras, /*resumes=*/true);
  }
  result.model.calibration.own = SortedScores(result.model.classifier, held_out, clock);
  DescribePoolAlone(pool.rows, num_held_out, result);
  FitSummary& summary = result.model.summary;
  summary.rows_trusted_in_pool =
      static_cast<std::int64_t>(algorithms::CountRowsAlsoIn(trusted.rows.view(), pool.rows.view()));
  summary.rows_trusted = trusted.rows.num_rows();
  summary.rows_invalid_trusted = trusted.rows.num_invalid;
  summary.rows_calibration = num_held_out;
  return result;
}

FitResult FitWithCross(const FitInput& trusted, FitInput& pool, std::uint64_t seed,
                       const FitExtras& extras, const FitFunction& fit, StageClock& clock) {
  FitResult result = fit(trusted, pool, extras, /*resumes=*/true);
  const std::vector<algorithms::RowNumbers> groups = ShuffledGroups(trusted, seed);
  for (std::size_t fold = 0; fold < kNumFolds; ++fold) {
    algorithms::RowNumbers inside;
    algorithms::RowNumbers outside;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      algorithms::RowNumbers& side = i % kNumFolds == fold ? inside : outside;
      side.insert(side.end(), groups[i].begin(), groups[i].end());
    }
    const FitInput held_out = trusted.Select(std::move(inside));
    const FitInput learned = trusted.Select(std::move(outside));
    const EnlargedPool enlarged(pool, held_out);
    algorithms::HeldOut part;
    part.classifier = fit(learned, pool, {.mix = false}, /*resumes=*/false).model.classifier;
    part.scores = SortedScores(part.classifier, held_out, clock);
    result.model.calibration.folds.push_back(std::move(part));
  }
  result.model.summary.rows_calibration = trusted.rows.num_rows();
  return result;
}

}  // namespace spuna
