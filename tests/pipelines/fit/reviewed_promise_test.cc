// What `max-clean-loss` promises where a person has looked at rows that were chosen for their
// scores.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "pipelines/fit/fit.h"
#include "pipelines/model/row_scores.h"
#include "pipelines/review/row_choice.h"
#include "tests/support/fit_inputs.h"
#include "tests/support/random_rows.h"

namespace spuna {
namespace {

using algorithms::RowVerdict;

constexpr std::size_t kNumPool = 300;
constexpr std::size_t kNumShifted = 45;
constexpr double kLevel = 0.1;

// The share of the clean pool rows without a verdict that is lost, before and after two rounds of
// looks.
struct Losses {
  double before = 0;
  double after = 0;
};

Losses LossesOf(std::uint64_t seed) {
  FitInput trusted = test::InputOf(test::RandomRows(160, 8, 2 * seed + 1000));
  test::Matrix rows = test::RandomRows(kNumPool, 8, 2 * seed + 1001);
  for (std::size_t i = 0; i < kNumShifted; ++i) rows.row(i)[0] += 2;
  FitInput pool = test::InputOf(rows);
  trusted.verdicts.assign(160, RowVerdict::kNone);
  pool.verdicts.assign(kNumPool, RowVerdict::kNone);
  FitOptions options;
  options.seed = seed;
  options.epochs = 3;
  options.decision.max_clean_loss = kLevel;
  FitExtras extras;
  extras.pool_scores = true;
  extras.mix = false;
  Runtime runtime;
  StageClock clock(runtime);
  Losses losses;
  for (int round = 0;; ++round) {
    const FitResult result = Fit(trusted, pool, options, extras, clock).ValueOrDie();
    double lost = 0;
    double clean = 0;
    for (std::size_t row = kNumShifted; row < kNumPool; ++row) {
      if (pool.verdicts[row] != RowVerdict::kNone) continue;
      ++clean;
      lost += result.model.decision.Drops(result.pool.EvidenceOf(row)) ? 1 : 0;
    }
    (round == 0 ? losses.before : losses.after) = lost / clean;
    if (round == 2) return losses;
    std::vector<std::uint8_t> is_reviewed;
    for (const RowVerdict verdict : pool.verdicts) {
      is_reviewed.push_back(verdict != RowVerdict::kNone ? 1 : 0);
    }
    const ChoiceRows from{trusted,     pool,         result.calibration_rows,
                          is_reviewed, result.model, result.pool};
    for (const ChosenRow& row : ChooseRows(from, {20, 0, seed}, {})) {
      if (row.calibrates) {
        trusted.verdicts[row.row] = RowVerdict::kClean;
      } else {
        pool.verdicts[row.row] = row.row < kNumShifted ? RowVerdict::kShifted : RowVerdict::kClean;
      }
    }
  }
}

// The mean of some numbers, and its standard error.
struct Mean {
  double value = 0;
  double error = 0;
};

Mean MeanOf(const std::vector<double>& numbers) {
  const auto count = static_cast<double>(numbers.size());
  Mean mean;
  for (const double number : numbers) mean.value += number / count;
  double variance = 0;
  for (const double number : numbers) {
    variance += (number - mean.value) * (number - mean.value) / (count - 1);
  }
  mean.error = std::sqrt(variance / count);
  return mean;
}

BOOST_AUTO_TEST_SUITE(reviewed_promise)

BOOST_AUTO_TEST_CASE(clean_rows_that_nobody_looked_at_are_lost_at_the_level) {
  constexpr int kNumDraws = 60;
  std::vector<double> losses;
  std::vector<double> differences;
  for (int seed = 0; seed < kNumDraws; ++seed) {
    const Losses found = LossesOf(static_cast<std::uint64_t>(seed));
    losses.push_back(found.after);
    differences.push_back(found.after - found.before);
  }
  const Mean loss = MeanOf(losses);
  const Mean difference = MeanOf(differences);
  BOOST_TEST_MESSAGE("loss " << loss.value << " ± " << loss.error << ", more than before looking "
                             << difference.value << " ± " << difference.error);
  // The draws alone, before anybody looks, are half as far from the level: hence the difference.
  BOOST_TEST(loss.value < kLevel + 3 * loss.error);
  BOOST_TEST(std::abs(difference.value) < 2 * difference.error);
  // And they are not all kept, which would be a promise without use.
  BOOST_TEST(loss.value > kLevel / 3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
