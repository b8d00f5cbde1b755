#include "pipelines/fit/held_back_fit.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/rows/duplicate_rows.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/rows/seeded_random.h"
#include "pipelines/fit/fit_groups.h"

namespace spuna {
namespace {

constexpr std::size_t kNumFolds = 5;

// The valid rows by group, in random order; of each group the first row is drawn at random.
std::vector<algorithms::RowNumbers> ShuffledGroups(const FitInput& input, std::uint64_t seed) {
  std::vector<algorithms::RowNumbers> groups = RowsByGroup(input);
  algorithms::SeededRandom random(seed);
  random.Shuffle(groups);
  for (algorithms::RowNumbers& rows : groups) {
    std::swap(rows.front(), rows[random.Below(rows.size())]);
  }
  return groups;
}

// Trusted rows that are held out, and those that are learned.
struct Parted {
  FitInput held_out;
  FitInput learned;
  // One row of each group that is held out.
  algorithms::RowNumbers calibration;
};

template <typename IsHeldOut>
Parted Part(const FitInput& trusted, const std::vector<algorithms::RowNumbers>& groups,
            IsHeldOut is_held_out) {
  algorithms::RowNumbers inside;
  algorithms::RowNumbers outside;
  algorithms::RowNumbers calibration;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    algorithms::RowNumbers& rows = is_held_out(i) ? inside : outside;
    rows.insert(rows.end(), groups[i].begin(), groups[i].end());
    if (is_held_out(i)) calibration.push_back(groups[i].front());
  }
  return {trusted.Select(std::move(inside)), trusted.Select(std::move(outside)),
          std::move(calibration)};
}

// Puts rows at the end of a pool while it lives.
class EnlargedPool {
 public:
  EnlargedPool(FitInput& pool, const FitInput& added)
      : pool_(pool), num_values_(pool.rows.values.size()), num_rows_(pool.rows.valid.size()) {
    pool.rows.values.reserve(num_values_ + added.rows.values.size());
    const bool has_verdicts = !pool.verdicts.empty() || !added.verdicts.empty();
    const auto num_valid = static_cast<std::size_t>(pool.rows.num_rows());
    if (has_verdicts) pool.verdicts.resize(num_valid, algorithms::RowVerdict::kNone);
    for (std::uint32_t row = 0; row < added.rows.valid.size(); ++row) pool.AddRow(added, row);
    pool.numbers.clear();
    if (has_verdicts) {
      pool.verdicts.resize(num_valid + added.rows.valid.size(), algorithms::RowVerdict::kNone);
    }
  }
  ~EnlargedPool() {
    pool_.rows.values.resize(num_values_);
    pool_.rows.valid.resize(num_rows_);
    if (!pool_.verdicts.empty()) {
      pool_.verdicts.resize(static_cast<std::size_t>(pool_.rows.num_rows()));
    }
    for (std::vector<std::string>* const texts : {&pool_.classes, &pool_.groups, &pool_.ids}) {
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

// What the model of a fit learned, to score the rows that it held out.
algorithms::HeldOut PartOf(const Model& model, const FitInput& held_out, StageClock& clock) {
  algorithms::HeldOut part{model.classifier, model.limits, model.screen, {}};
  part.scores = part.Score(held_out.rows.view(), clock.Execution());
  std::ranges::sort(part.scores);
  return part;
}

// Whether a trusted row was chosen for a review.
bool IsReviewed(const FitInput& trusted, std::uint32_t row) {
  return !trusted.verdicts.empty() && trusted.verdicts[row] != algorithms::RowVerdict::kNone;
}

}  // namespace

void DescribePoolAlone(const EmbeddingMatrix& pool, std::int64_t num_added,
                       std::int64_t num_shifted, FitResult& result) {
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
  const double factor = static_cast<double>(num_rows + static_cast<std::size_t>(num_added)) /
                        static_cast<double>(num_rows);
  const double known = static_cast<double>(num_shifted) / static_cast<double>(num_rows);
  for (double* share : {&summary.share->estimate, &summary.share->low, &summary.share->high}) {
    *share = std::clamp(*share * factor - known, 0.0, 1.0);
  }
}

FitResult FitWithSplit(const FitInput& trusted, FitInput& pool, std::int64_t num_held_out,
                       std::uint64_t seed, const FitExtras& extras, const FitFunction& fit,
                       StageClock& clock) {
  Parted parted = Part(trusted, ShuffledGroups(trusted, seed),
                       [&](std::size_t i) { return static_cast<std::int64_t>(i) < num_held_out; });
  FitResult result;
  {
    const EnlargedPool enlarged(pool, parted.held_out);
    result = fit(parted.learned, pool, extras, /*resumes=*/true);
  }
  std::erase_if(parted.calibration, [&](std::uint32_t row) { return IsReviewed(trusted, row); });
  result.model.calibration.own =
      PartOf(result.model, trusted.Select(parted.calibration), clock).scores;
  DescribePoolAlone(pool.rows, parted.held_out.rows.num_rows(), /*num_shifted=*/0, result);
  FitSummary& summary = result.model.summary;
  summary.rows_trusted_in_pool =
      static_cast<std::int64_t>(algorithms::CountRowsAlsoIn(trusted.rows.view(), pool.rows.view()));
  summary.rows_trusted = trusted.rows.num_rows();
  summary.rows_invalid_trusted = trusted.rows.num_invalid;
  summary.rows_calibration = static_cast<std::int64_t>(parted.calibration.size());
  result.calibration_rows = std::move(parted.calibration);
  return result;
}

FitResult FitWithCross(FitInput& trusted, FitInput& pool, std::uint64_t seed,
                       const FitExtras& extras, const FitFunction& fit, StageClock& clock) {
  FitResult result = fit(trusted, pool, extras, /*resumes=*/true);
  const std::vector<algorithms::RowNumbers> groups = ShuffledGroups(trusted, seed);
  for (std::size_t fold = 0; fold < kNumFolds; ++fold) {
    Parted parted = Part(trusted, groups, [&](std::size_t i) { return i % kNumFolds == fold; });
    std::erase_if(parted.calibration, [&](std::uint32_t row) { return IsReviewed(trusted, row); });
    const EnlargedPool enlarged(pool, parted.held_out);
    result.model.calibration.folds.push_back(
        PartOf(fit(parted.learned, pool, {.mix = false}, /*resumes=*/false).model,
               trusted.Select(parted.calibration), clock));
  }
  result.model.summary.rows_calibration = static_cast<std::int64_t>(groups.size());
  return result;
}

}  // namespace spuna
