#include "pipelines/run/fit_summary.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "pipelines/jobs/summary.h"
#include "pipelines/run/fit_warnings.h"
#include "pipelines/run/job_report.h"

namespace spuna {
namespace {

FitSummary Summary(double p_value, double estimate, double high) {
  FitSummary summary;
  summary.rows_trusted = 1000;
  summary.separation = {0.5, p_value, {}};
  summary.found = summary.separation->Found();
  summary.share = {estimate, 0, high};
  summary.choices.k = 1;
  return summary;
}

std::string TextOf(const FitSummary& summary, const DecisionOptions& decision = {}) {
  FitOptions options;
  options.decision = decision;
  return WarningsOf(summary, options, 8).back().text;
}

BOOST_AUTO_TEST_SUITE(fit_summary)

BOOST_AUTO_TEST_CASE(the_verdict_is_one_of_three_words) {
  BOOST_TEST(ToWord(*VerdictOf(Summary(0.049, 0.1, 0.2))) == "shift");
  BOOST_TEST(ToWord(*VerdictOf(Summary(0.05, 0.01, 0.05))) == "none");
  BOOST_TEST(ToWord(*VerdictOf(Summary(0.05, 0.01, 0.051))) == "undecided");
  FitSummary paper;
  BOOST_TEST(!VerdictOf(paper).has_value());
}

BOOST_AUTO_TEST_CASE(the_rows_that_would_settle_it_narrow_the_interval) {
  // A reach of 0.08 must shrink to 0.04: four times as many rows.
  BOOST_TEST(TrustedRowsToSettle(Summary(0.5, 0.01, 0.09)).value() == 3000);
  // The estimate itself, where it is larger than what would be negligible.
  BOOST_TEST(TrustedRowsToSettle(Summary(0.5, 0.1, 0.3)).value() == 3000);
  BOOST_TEST(!TrustedRowsToSettle(Summary(0.5, 0.02, 0.9)).has_value());
  BOOST_TEST(!TrustedRowsToSettle(Summary(0.01, 0.1, 0.3)).has_value());
  BOOST_TEST(!TrustedRowsToSettle(Summary(0.5, 0, 0.04)).has_value());
}

BOOST_AUTO_TEST_CASE(undecided_says_what_to_do_next) {
  FitSummary summary = Summary(0.06, 0.01, 0.09);
  summary.highest_scores_from = 0.4312;
  BOOST_TEST(TextOf(summary) ==
             "undecided: no shift proven (p = 0.06, below 0.05 needed); nothing is dropped. Up to "
             "9.0 % of the pool could be shifted; about 3,000 more trusted rows would settle it. "
             "Look at the highest scores (20 rows score at least 0.431), or use `--max-clean-loss "
             "0.02`");
  DecisionOptions decision;
  decision.threshold = 0.3;
  BOOST_TEST(TextOf(summary, decision).find("rows are dropped by the rule") != std::string::npos);
  BOOST_TEST(TextOf(Summary(0.5, 0, 0.04)) ==
             "none: no shift proven (p = 0.5), and at most 4.0 % of the pool could be shifted; "
             "nothing is dropped");
}

BOOST_AUTO_TEST_CASE(few_trusted_rows_never_end_in_none) {
  // With so few rows the interval is wide.
  FitSummary summary = Summary(0.5, 0, 0.4);
  summary.rows_trusted = 40;
  BOOST_TEST(ToWord(*VerdictOf(summary)) == "undecided");
}

BOOST_AUTO_TEST_CASE(a_model_without_a_proven_shift_says_so) {
  Decision none;
  none.threshold = Decision::kDropNone;
  BOOST_TEST(WarningsOfModel(Summary(0.5, 0, 0.1), none, false).at(0).text ==
             "the fit of this model proved no shift (p = 0.5): it drops no row. Fit again, or name "
             "a `--threshold`");
  BOOST_TEST(WarningsOfModel(Summary(0.5, 0, 0.1), Decision{}, false).at(0).text ==
             "the fit of this model proved no shift (p = 0.5)");
  BOOST_TEST(WarningsOfModel(Summary(0.01, 0.3, 0.4), Decision{}, false).empty());
  BOOST_TEST(WarningsOfModel(FitSummary(), Decision{}, false).empty());
}

BOOST_AUTO_TEST_CASE(an_old_model_says_that_it_has_no_distance) {
  const auto warnings = WarningsOfModel(Summary(0.01, 0.3, 0.4), Decision{}, true);
  BOOST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(warnings[0].about == "no distance");
}

BOOST_AUTO_TEST_CASE(many_dimensions_ask_for_more_trusted_rows) {
  FitSummary summary = Summary(0.01, 0.3, 0.4);
  summary.rows_trusted = 383;
  const auto warnings = WarningsOf(summary, FitOptions(), 768);
  BOOST_TEST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(warnings[0].about == "few trusted rows");
  BOOST_TEST(warnings[0].text ==
             "383 of dimension 768: with fewer than 384 shifts are missed that more would show");
  summary.rows_trusted = 384;
  BOOST_TEST(WarningsOf(summary, FitOptions(), 768).empty());
  // Copies do not count.
  summary.rows_trusted_repeated = 1;
  BOOST_TEST(WarningsOf(summary, FitOptions(), 768).size() == 2U);
  summary = Summary(0.01, 0.3, 0.4);
  summary.rows_trusted = 200;
  BOOST_TEST(WarningsOf(summary, FitOptions(), 8).empty());
  summary.rows_trusted = 199;
  BOOST_TEST(WarningsOf(summary, FitOptions(), 8).size() == 1U);
}

BOOST_AUTO_TEST_CASE(values_far_out_are_said_where_rows_are_broken_and_not_where_they_are_clipped) {
  FitSummary summary = Summary(0.01, 0.3, 0.4);
  summary.rows_trusted = 1000;
  summary.rows_beyond_pool = 40;
  BOOST_TEST(WarningsOf(summary, FitOptions(), 8).empty());
  summary.rows_broken_pool = 3;
  const auto warnings = WarningsOf(summary, FitOptions(), 8);
  BOOST_TEST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(warnings[0].about == "values far out");
  BOOST_TEST(
      warnings[0].text ==
      "0 trusted, 3 pool rows lie far beyond the trusted rows' values: they count as rows at "
      "their edge");
  FitOptions paper;
  paper.recipe = Recipe::kPaper;
  BOOST_TEST(WarningsOf(summary, paper, 8).at(0).text.find("takes them as they are") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(nearly_all_dropped_is_said_where_nobody_asked_for_it) {
  const RowCounts most{1010, 100, 900, 10, 0, {}};
  BOOST_TEST(WarningOfDropped(most, Decision())->text ==
             "900 of 1,000 rows (90.0 %): check that both inputs are embedded in the same way, and "
             "that the trusted rows are like those to keep");
  BOOST_TEST(!WarningOfDropped({1000, 101, 899, 0, 0, {}}, Decision()).has_value());
  BOOST_TEST(!WarningOfDropped({0, 0, 0, 0, 0, {}}, Decision()).has_value());
  Decision asked;
  asked.rule = "keep-share";
  BOOST_TEST(!WarningOfDropped(most, asked).has_value());
  JobReport report;
  report.score.emplace();
  report.score->counts = most;
  BOOST_TEST(ToJson(report)["warnings"].at(0).at("about") == "nearly all dropped");
  BOOST_TEST(Summarize(report, "").find("nearly all dropped  900 of 1,000") != std::string::npos);
  report.score->by = ScoreBy::kNeighbors;
  BOOST_TEST(report.Warnings().empty());
}

BOOST_AUTO_TEST_CASE(another_mix_of_classes_is_said_where_classes_are_not_named) {
  FitSummary summary = Summary(0.01, 0.3, 0.4);
  summary.mix_explained = 0.2;
  BOOST_TEST(WarningsOf(summary, FitOptions(), 8).empty());
  summary.mix_explained = 0.44;
  BOOST_TEST(TextOf(summary) ==
             "44.0 % of the difference is explained by few clusters of the trusted rows that the "
             "pool has more of. That may be another mix of classes, which is no shift: name their "
             "column with `--stratify`");
  FitOptions options;
  options.stratify = "class";
  BOOST_TEST(WarningsOf(summary, options, 8).empty());
  summary.found = false;
  BOOST_TEST(WarningsOf(summary, FitOptions(), 8).size() == 1U);
}

BOOST_AUTO_TEST_CASE(trusted_rows_above_the_threshold_are_named_where_they_are_many) {
  FitSummary summary = Summary(0.01, 0.3, 0.4);
  summary.rows_trusted_above = 52;
  summary.first_trusted_above = {3, 17, 40, 41, 60};
  BOOST_TEST(WarningsOf(summary, FitOptions(), 8).empty());
  summary.rows_trusted_above = 53;
  BOOST_TEST(TextOf(summary) ==
             "53 (5.3 %) would be dropped, first rows 3, 17, 40, 41, 60, counted from 0. Look at "
             "them: they are shifted, or about as many clean rows of the pool are lost");
  summary.ids_trusted_above = {"a.png", "b.png"};
  BOOST_TEST(TextOf(summary).starts_with("53 (5.3 %) would be dropped, first a.png, b.png. Look"));
  // What was asked for is no news.
  FitOptions options;
  options.decision.max_clean_loss = 0.05;
  BOOST_TEST(WarningsOf(summary, options, 8).empty());
}

BOOST_AUTO_TEST_CASE(another_normalization_is_said_with_what_to_do) {
  FitSummary summary = Summary(0.01, 0.3, 0.4);
  BOOST_TEST(WarningsOf(summary, FitOptions(), 8).empty());
  summary.normalization.emplace();
  summary.normalization->scale = 255;
  summary.normalization->offset = -0.5;
  BOOST_TEST(TextOf(summary) ==
             "in all columns alike the pool's values are about 255 times those of the trusted "
             "rows, minus 0.5: another normalization is likelier than a shift; embed both inputs "
             "in the same way");
  summary.normalization->unit_pool = true;
  summary.normalization->pool_length = 1;
  summary.normalization->trusted_length = 20.37;
  BOOST_TEST(TextOf(summary) ==
             "all pool rows have length 1, trusted rows have not (median 20.4): another "
             "normalization is likelier than a shift; embed both inputs in the same way");
}

BOOST_AUTO_TEST_CASE(models_of_earlier_releases_are_read) {
  nlohmann::json written = ToJson(Summary(0.5, 0.01, 0.09), Recipe::kRobust);
  for (const char* later : {"rows_trusted_repeated", "rows_trusted_nearly_in_pool",
                            "rows_trusted_above", "first_trusted_above"}) {
    BOOST_TEST(written.erase(later) == 1U);
  }
  BOOST_TEST(FitSummaryFromJson(written).rows_trusted_repeated == 0);
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  FitSummary summary = Summary(0.5, 0.01, 0.09);
  summary.rows_trusted_repeated = 3;
  summary.rows_trusted_nearly_in_pool = 4;
  summary.normalization.emplace();
  summary.normalization->scale = 2;
  summary.mix_explained = 0.1;
  summary.rows_trusted_above = 6;
  summary.first_trusted_above = {1, 2, 3, 4, 9};
  summary.highest_scores_from = 0.25;
  summary.separation->least_p_value = 0.0125;
  const nlohmann::json written = ToJson(summary, Recipe::kRobust);
  BOOST_TEST(written["shift"]["verdict"] == "undecided");
  BOOST_TEST(FitSummaryFromJson(written).highest_scores_from.value() == 0.25);
  BOOST_TEST(FitSummaryFromJson(written).separation->least_p_value.value() == 0.0125);
  BOOST_TEST(ToJson(FitSummaryFromJson(written), Recipe::kRobust) == written);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
