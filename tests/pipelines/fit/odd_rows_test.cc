// What a fit does about rows that no classifier knows, and what it promises about all reasons
// together.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "pipelines/fit/fit.h"
#include "pipelines/model/row_scores.h"
#include "tests/support/fit_inputs.h"
#include "tests/support/random_rows.h"

namespace spuna {
namespace {

using algorithms::OddRow;
using test::InputOf;
using test::RandomRows;

Model FitModel(const test::Matrix& trusted, const test::Matrix& pool,
               const FitOptions& options = {}) {
  Runtime runtime;
  StageClock clock(runtime);
  return Fit(InputOf(trusted), InputOf(pool), options, {}, clock).ValueOrDie().model;
}

std::vector<std::uint8_t> Dropped(const Model& model, const test::Matrix& rows) {
  const RowScores found =
      ScoreRows(model, rows.view(), {model.decision.far, model.decision.NeedsPValues(), false}, {});
  std::vector<std::uint8_t> dropped;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    dropped.push_back(model.decision.Drops(found.EvidenceOf(i)) ? 1 : 0);
  }
  return dropped;
}

std::size_t CountDropped(const Model& model, const test::Matrix& rows) {
  return static_cast<std::size_t>(std::ranges::count(Dropped(model, rows), 1));
}

// 300 of 1,000 rows are moved.
test::Matrix MovedPool(std::uint64_t seed) {
  test::Matrix pool = RandomRows(1000, 16, seed);
  for (std::size_t k = 0; k < 300 * 16; ++k) pool.values[k] += 1.5F;
  return pool;
}

FitOptions OfRecipe(Recipe recipe) {
  FitOptions options;
  options.recipe = recipe;
  return options;
}

BOOST_AUTO_TEST_SUITE(odd_rows)

BOOST_AUTO_TEST_CASE(garbage_is_dropped_and_clean_rows_are_not) {
  const Model model = FitModel(RandomRows(500, 16, 1), MovedPool(2));
  BOOST_TEST(CountDropped(model, RandomRows(1000, 16, 3, 0, 20)) >= 990U);
  BOOST_TEST(CountDropped(model, RandomRows(1000, 16, 4, -30)) >= 990U);
  const RowScores fresh = ScoreRows(model, RandomRows(2000, 16, 5).view(), {}, {});
  const double level = algorithms::ReachableLevel(kDefaultFarLevel, 334);
  BOOST_TEST(static_cast<double>(std::ranges::count(fresh.screened.odd, OddRow::kFar)) / 2000 <=
             level + 0.005);
}

BOOST_AUTO_TEST_CASE(broken_rows_change_the_fate_of_no_other) {
  const test::Matrix trusted = RandomRows(500, 16, 1);
  const test::Matrix pool = MovedPool(2);
  for (const Recipe recipe : {Recipe::kRobust, Recipe::kFast}) {
    const std::vector<std::uint8_t> before =
        Dropped(FitModel(trusted, pool, OfRecipe(recipe)), pool);
    for (const auto& [value, count] : {std::pair(1e30F, 1U), std::pair(1e8F, 8U)}) {
      test::Matrix broken = pool;
      std::fill_n(broken.row(500), count * 16, value);
      const Model model = FitModel(trusted, broken, OfRecipe(recipe));
      BOOST_TEST(model.summary.rows_broken_pool == count);
      const std::vector<std::uint8_t> after = Dropped(model, broken);
      std::size_t changed = 0;
      for (std::size_t i = 0; i < 1000; ++i) {
        if (i < 500 || i >= 508) changed += before[i] != after[i] ? 1 : 0;
      }
      BOOST_TEST(changed <= 10U);
      BOOST_TEST(std::count(after.begin() + 500, after.begin() + 500 + count, 1) == count);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_column_in_other_units_changes_nothing) {
  auto scaled = [](test::Matrix rows) {
    for (std::size_t i = 0; i < rows.num_rows; ++i) rows.row(i)[3] *= 1e6F;
    return rows;
  };
  const test::Matrix pool = MovedPool(2);
  const Model before = FitModel(RandomRows(500, 16, 1), pool);
  const Model after = FitModel(scaled(RandomRows(500, 16, 1)), scaled(pool));
  const std::vector<std::uint8_t> a = Dropped(before, pool);
  const std::vector<std::uint8_t> b = Dropped(after, scaled(pool));
  std::size_t changed = 0;
  for (std::size_t i = 0; i < a.size(); ++i) changed += a[i] != b[i] ? 1 : 0;
  BOOST_TEST(changed <= 10U);
}

BOOST_AUTO_TEST_CASE(zeros_and_copies_go_whatever_the_verdict_is) {
  for (const float mean : {0.0F, 5.0F}) {
    const test::Matrix trusted = RandomRows(500, 16, 1, mean);
    test::Matrix zeros = RandomRows(1000, 16, 2, mean);
    std::fill_n(zeros.row(0), 30 * 16, 0.0F);
    test::Matrix copies = RandomRows(1000, 16, 2, mean);
    const test::Matrix odd = RandomRows(1, 16, 3, mean, 2);
    for (std::size_t i = 0; i < 30; ++i) std::copy_n(odd.values.data(), 16, copies.row(i));
    for (const test::Matrix* pool : {&zeros, &copies}) {
      const std::vector<std::uint8_t> dropped = Dropped(FitModel(trusted, *pool), *pool);
      BOOST_TEST(std::count(dropped.begin(), dropped.begin() + 30, 1) == 30);
      BOOST_TEST(std::count(dropped.begin() + 30, dropped.end(), 1) <= 10);
    }
  }
}

BOOST_AUTO_TEST_CASE(far_rows_can_be_kept_or_left_open) {
  const test::Matrix trusted = RandomRows(300, 8, 1);
  const test::Matrix pool = test::ShiftedPool(400, 8, 2, 2);
  const test::Matrix garbage = RandomRows(50, 8, 3, 0, 50);
  FitOptions options;
  options.decision.far = FarRows::kKeep;
  const Model keeps = FitModel(trusted, pool, options);
  BOOST_TEST(CountDropped(keeps, garbage) < 50U);
  options.decision.far = FarRows::kNull;
  const Model leaves_open = FitModel(trusted, pool, options);
  BOOST_TEST(CountDropped(leaves_open, garbage) == 0U);
  const RowScores found =
      ScoreRows(leaves_open, garbage.view(), {FarRows::kNull, false, false}, {});
  for (std::size_t i = 0; i < 50; ++i) {
    BOOST_TEST(leaves_open.decision.LeavesOpen(found.EvidenceOf(i)));
  }
  BOOST_TEST((keeps.classifier.hidden_weight == leaves_open.classifier.hidden_weight));
}

BOOST_AUTO_TEST_CASE(a_share_is_kept_without_the_odd_rows) {
  test::Matrix pool = MovedPool(2);
  std::fill_n(pool.row(900), 50 * 16, 0.0F);
  FitOptions options;
  options.decision.keep_share = 0.6;
  const Model model = FitModel(RandomRows(500, 16, 1), pool, options);
  BOOST_TEST(CountDropped(model, pool) == 400U);
}

BOOST_AUTO_TEST_CASE(the_paper_measures_no_distance_unless_asked) {
  const test::Matrix trusted = RandomRows(300, 8, 1);
  const test::Matrix pool = test::ShiftedPool(400, 8, 2, 2);
  FitOptions options = OfRecipe(Recipe::kPaper);
  const Model plain = FitModel(trusted, pool, options);
  BOOST_TEST(!plain.screen.has_value());
  BOOST_TEST(plain.limits.empty());
  BOOST_TEST(!plain.LacksDistance());
  options.decision.far = FarRows::kDrop;
  const Model asked = FitModel(trusted, pool, options);
  BOOST_TEST(asked.screen.has_value());
  BOOST_TEST((plain.classifier.hidden_weight == asked.classifier.hidden_weight));
  BOOST_TEST(CountDropped(asked, RandomRows(50, 8, 3, 0, 50)) == 50U);
}

// Of the clean rows of pools with shifted and broken rows at most the level is dropped, for the
// score and for the distance together; and with labels that are refined.
BOOST_AUTO_TEST_CASE(the_promise_covers_both_reasons) {
  for (const Calibration calibration : {Calibration::kSplit, Calibration::kCross}) {
    const int draws = calibration == Calibration::kSplit ? 40 : 8;
    constexpr std::size_t kNumClean = 130;
    std::vector<double> losses;
    for (int draw = 0; draw < draws; ++draw) {
      const auto seed = static_cast<std::uint64_t>(4 * draw);
      const test::Matrix trusted = RandomRows(120, 5, seed);
      test::Matrix pool = RandomRows(150, 5, seed + 1);
      for (std::size_t i = kNumClean; i < 146; ++i) pool.row(i)[0] += 4;
      std::fill_n(pool.row(146), 2 * 5, 1e9F);
      std::fill_n(pool.row(148), 2 * 5, 0.0F);
      FitOptions options;
      options.seed = seed;
      options.epochs = 3;
      options.decision.max_clean_loss = 0.1;
      options.decision.calibration = calibration;
      const std::vector<std::uint8_t> dropped = Dropped(FitModel(trusted, pool, options), pool);
      losses.push_back(
          static_cast<double>(std::count(dropped.begin(), dropped.begin() + kNumClean, 1)) /
          kNumClean);
    }
    double mean = 0;
    for (const double loss : losses) mean += loss / draws;
    double square = 0;
    for (const double loss : losses) square += (loss - mean) * (loss - mean) / draws;
    const double error = std::sqrt(square / draws);
    BOOST_TEST(mean <= (calibration == Calibration::kSplit ? 0.1 : 0.2) + 2 * error);
    BOOST_TEST(mean > 0.02);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
