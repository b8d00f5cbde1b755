#include "pipelines/run/decision.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/parquet_files.h"

namespace spuna {
namespace {

DecisionOptions CleanLoss(double level) {
  DecisionOptions options;
  options.max_clean_loss = level;
  return options;
}

std::vector<float> Ascending(int count) {
  std::vector<float> scores;
  for (int i = 0; i < count; ++i) {
    scores.push_back(static_cast<float>(i) / static_cast<float>(count));
  }
  return scores;
}

BOOST_AUTO_TEST_SUITE(decision)

BOOST_AUTO_TEST_CASE(without_options_one_half_decides) {
  const Decision decision = Decide({}, {}, {});
  BOOST_TEST(decision.rule == "");
  BOOST_TEST(decision.threshold == 0.5);
}

BOOST_AUTO_TEST_CASE(odd_rows_are_dropped_unless_they_are_kept_or_left_open) {
  Decision decision;
  const RowEvidence odd{1.5F, 1, true};
  const RowEvidence odd_by_its_own_score{0.1F, 1, true};
  decision.far = FarRows::kDrop;
  decision.threshold = Decision::kDropNone;
  BOOST_TEST(decision.Drops(odd));
  BOOST_TEST(decision.Keeps({0.9F, 1, false}));
  decision.far = FarRows::kKeep;
  BOOST_TEST(decision.Keeps(odd_by_its_own_score));
  decision.far = FarRows::kNull;
  BOOST_TEST(decision.LeavesOpen(odd));
  BOOST_TEST(!decision.Drops(odd));
  // A promise counts odd rows by their joined scores.
  decision.far = FarRows::kDrop;
  decision.rule = "max-clean-loss";
  BOOST_TEST(decision.Keeps(odd));
  decision.threshold = 1.4;
  BOOST_TEST(decision.Drops(odd));
  BOOST_TEST((DecisionFromJson(ToJson(decision)).far == FarRows::kDrop));
  nlohmann::json older = ToJson(decision);
  older.erase("far");
  BOOST_TEST((DecisionFromJson(older).far == FarRows::kKeep));
}

BOOST_AUTO_TEST_CASE(clean_loss_counts_the_calibration_rows_above) {
  algorithms::CalibrationScores calibration;
  calibration.own = Ascending(99);
  const Decision decision = Decide(CleanLoss(0.05), calibration, {});
  BOOST_TEST(decision.rule == "max-clean-loss");
  // Five in a hundred: four of the 99 may score as high.
  std::size_t above = 0;
  for (const float score : calibration.own) above += score >= decision.threshold ? 1 : 0;
  BOOST_TEST(above == 4U);
  BOOST_TEST(!decision.p_value_cutoff);
}

BOOST_AUTO_TEST_CASE(a_cross_calibration_decides_by_p_values) {
  algorithms::CalibrationScores calibration;
  calibration.folds.resize(2);
  for (algorithms::HeldOut& fold : calibration.folds) fold.scores = Ascending(50);
  const Decision decision = Decide(CleanLoss(0.05), calibration, {});
  BOOST_TEST_REQUIRE(decision.p_value_cutoff.has_value());
  BOOST_TEST(*decision.p_value_cutoff == 0.05);
}

BOOST_AUTO_TEST_CASE(a_share_is_kept) {
  DecisionOptions options;
  options.keep_share = 0.8;
  const std::vector<float> scores = Ascending(10);
  const Decision decision = Decide(options, {}, {scores, {}, 1});
  std::size_t kept = 0;
  for (const float score : scores) kept += score < decision.threshold ? 1 : 0;
  BOOST_TEST(kept == 8U);
}

BOOST_AUTO_TEST_CASE(false_drops_that_can_not_be_kept_few_drop_nothing) {
  DecisionOptions options;
  options.max_false_drops = 0.1;
  algorithms::CalibrationScores calibration;
  calibration.own = Ascending(50);
  const std::vector<float> scores = Ascending(50);
  const std::vector<double> p_values = algorithms::PValues(calibration, {}, scores, {});
  const Decision decision = Decide(options, calibration, {scores, p_values, 1});
  for (const float score : scores) BOOST_TEST(score < decision.threshold);
}

BOOST_AUTO_TEST_CASE(calibration_rows_are_a_quarter_or_what_the_level_needs) {
  BOOST_TEST(test::Get(CountCalibrationRows(CleanLoss(0.05), 1000)) == 250);
  BOOST_TEST(test::Get(CountCalibrationRows(CleanLoss(0.01), 200)) == 99);
  DecisionOptions fixed = CleanLoss(0.05);
  fixed.calibration_rows = 19;
  BOOST_TEST(test::Get(CountCalibrationRows(fixed, 1000)) == 19);
}

BOOST_AUTO_TEST_CASE(too_few_calibration_rows_say_how_many_are_needed) {
  BOOST_TEST(
      CountCalibrationRows(CleanLoss(0.01), 150).status().message() ==
      "`max-clean-loss` 0.01 needs 99 calibration rows, at most half of the trusted rows, so "
      "198 trusted rows, but there are 150; give more, or ask for less");
  DecisionOptions fixed = CleanLoss(0.05);
  fixed.calibration_rows = 18;
  BOOST_TEST(CountCalibrationRows(fixed, 1000).status().message() ==
             "`max-clean-loss` 0.05 needs 19 calibration rows, but `calibration-rows` is 18");
  fixed.calibration_rows = 999;
  BOOST_TEST(CountCalibrationRows(fixed, 1000).status().message() ==
             "`calibration-rows` 999 leaves too few of 1000 trusted rows to learn from");
  DecisionOptions cross = CleanLoss(0.001);
  cross.calibration = Calibration::kCross;
  BOOST_TEST(
      CountCalibrationRows(cross, 900).status().message() ==
      "`max-clean-loss` 0.001 needs 999 trusted rows with `calibration` cross, but there are "
      "900");
  BOOST_TEST(
      CountCalibrationRows(cross, 900, "groups").status().message() ==
      "`max-clean-loss` 0.001 needs 999 trusted groups with `calibration` cross, but there are "
      "900");
}

BOOST_AUTO_TEST_CASE(options_that_contradict_each_other_are_errors) {
  DecisionOptions two = CleanLoss(0.05);
  two.threshold = 0.5;
  BOOST_TEST(two.Validate().message() ==
             "`max-clean-loss` and `threshold` both say which rows are dropped; choose one");
  DecisionOptions none = CleanLoss(0.05);
  none.calibration = Calibration::kNone;
  BOOST_TEST(
      none.Validate().message() ==
      "`max-clean-loss` and `max-false-drops` need calibration rows; use `calibration` split "
      "or cross");
  DecisionOptions rows;
  rows.calibration_rows = 10;
  BOOST_TEST(rows.Validate().message() == "`calibration-rows` is for `calibration` split");
  for (const double level : {0.0, 1.0, -0.1, 1.5}) {
    BOOST_TEST(!CleanLoss(level).Validate().ok());
  }
}

BOOST_AUTO_TEST_CASE(without_a_shift_nothing_is_dropped_unless_an_option_decides) {
  const std::vector<float> scores = {0.1F, 0.6F, 1.0F};
  PoolScores pool;
  pool.scores = scores;
  pool.shift_found = false;
  const Decision none = Decide({}, {}, pool);
  BOOST_TEST(none.DropsNone());
  BOOST_TEST(none.Keeps({1.0F, 1}));
  DecisionOptions asked;
  asked.threshold = 0.5;
  BOOST_TEST(!Decide(asked, {}, pool).Keeps({0.6F, 1}));
}

BOOST_AUTO_TEST_CASE(a_decision_survives_as_json) {
  Decision decision{"max-clean-loss", 0.02, 0.73, 0.02};
  const Decision read = DecisionFromJson(ToJson(decision));
  BOOST_TEST(read.rule == decision.rule);
  BOOST_TEST(read.level == decision.level);
  BOOST_TEST(read.threshold == decision.threshold);
  BOOST_TEST(*read.p_value_cutoff == 0.02);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
