#include "pipelines/fit/held_back_fit.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/rows/duplicate_rows.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/rows/seeded_random.h"

namespace spuna {
namespace {

constexpr std::size_t kNumFolds = 5;

// The valid rows in random order.
algorithms::RowNumbers ShuffledRows(const FitInput& input, std::uint64_t seed) {
  algorithms::RowNumbers rows =
      algorithms::AllRows(static_cast<std::size_t>(input.rows.num_rows()));
  algorithms::SeededRandom(seed).Shuffle(rows);
  return rows;
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

FitResult FitWithSplit(const FitInput& trusted, FitInput& pool, std::int64_t num_held_out,
                       std::uint64_t seed, const FitExtras& extras, const FitFunction& fit,
                       StageClock& clock) {
  const algorithms::RowNumbers rows = ShuffledRows(trusted, seed);
  const auto split = rows.begin() + num_held_out;
  const FitInput held_out = trusted.Select({rows.begin(), split});
  const FitInput learned = trusted.Select({split, rows.end()});
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
  const algorithms::RowNumbers rows = ShuffledRows(trusted, seed);
  for (std::size_t fold = 0; fold < kNumFolds; ++fold) {
    algorithms::RowNumbers inside;
    algorithms::RowNumbers outside;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      (i % kNumFolds == fold ? inside : outside).push_back(rows[i]);
    }
    const FitInput held_out = trusted.Select(std::move(inside));
    const FitInput learned = trusted.Select(std::move(outside));
    const EnlargedPool enlarged(pool, held_out);
    algorithms::HeldOut part;
    part.classifier = fit(learned, pool, {}, /*resumes=*/false).model.classifier;
    part.scores = SortedScores(part.classifier, held_out, clock);
    result.model.calibration.folds.push_back(std::move(part));
  }
  result.model.summary.rows_calibration = trusted.rows.num_rows();
  return result;
}

}  // namespace spuna
