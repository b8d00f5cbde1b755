#include "pipelines/fit/learned_rows.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "pipelines/fit/fit.h"
#include "pipelines/run/fit_warnings.h"
#include "tests/support/files_example.h"
#include "tests/support/fit_inputs.h"

namespace spuna {
namespace {

using test::InputOf;
using test::Matrix;

// The rows `times` over, all of them in their order each time.
Matrix Repeated(const Matrix& rows, std::size_t times) {
  Matrix repeated{0, rows.dimension, {}};
  for (std::size_t i = 0; i < times; ++i) {
    repeated.num_rows += rows.num_rows;
    repeated.values.insert(repeated.values.end(), rows.values.begin(), rows.values.end());
  }
  return repeated;
}

FitResult FitOn(const Matrix& trusted, const Matrix& pool, const FitOptions& options) {
  const Runtime runtime = test::Threads(1);
  StageClock clock(runtime);
  FitExtras extras;
  extras.pool_scores = true;
  return Fit(InputOf(trusted), InputOf(pool), options, extras, clock).ValueOrDie();
}

std::string TextAbout(const FitResult& fit, const std::string& about) {
  for (const FitWarning& warning :
       WarningsOf(fit.model.summary, fit.model.options, fit.model.dimension())) {
    if (warning.about == about) return warning.text;
  }
  return "";
}

FitOptions Quick() {
  FitOptions options;
  options.epochs = 2;
  return options;
}

BOOST_AUTO_TEST_SUITE(learned_rows)

BOOST_AUTO_TEST_CASE(trusted_rows_three_times_over_change_no_score) {
  const Matrix trusted = test::RandomRows(250, 6, 1);
  const Matrix pool = test::ShiftedPool(400, 6, 2, 1.5);
  FitOptions calibrated = Quick();
  calibrated.decision.max_clean_loss = 0.05;
  for (const FitOptions& options : {Quick(), calibrated}) {
    const FitResult once = FitOn(trusted, pool, options);
    const FitResult thrice = FitOn(Repeated(trusted, 3), pool, options);
    BOOST_TEST(once.pool.scores == thrice.pool.scores, boost::test_tools::per_element());
    BOOST_TEST(once.model.decision.threshold == thrice.model.decision.threshold);
    BOOST_TEST(thrice.model.summary.rows_trusted == 750);
    BOOST_TEST(thrice.model.summary.rows_trusted_repeated == 500);
    BOOST_TEST(TextAbout(thrice, "repeated trusted rows") ==
               "500 of 750 equal an earlier one: each counts once");
    BOOST_TEST(once.model.summary.rows_trusted_repeated == 0);
    BOOST_TEST(TextAbout(once, "repeated trusted rows") == "");
  }
}

BOOST_AUTO_TEST_CASE(the_paper_counts_rows_as_often_as_they_are_there) {
  const Matrix trusted = test::RandomRows(120, 6, 1);
  FitOptions options = Quick();
  options.recipe = Recipe::kPaper;
  options.alpha = 10;
  const FitResult twice = FitOn(Repeated(trusted, 2), test::ShiftedPool(300, 6, 2, 1.5), options);
  BOOST_TEST(twice.model.summary.choices.k ==
             options.Choose(240, 300, 6).k);  // chosen for all that are given
  BOOST_TEST(TextAbout(twice, "repeated trusted rows") ==
             "120 of 240 equal an earlier one: `--recipe paper` counts each as often as it is "
             "there; remove the copies");
  BOOST_TEST(TextAbout(twice, "few trusted rows").starts_with("120 of dimension 6"));
}

BOOST_AUTO_TEST_CASE(rounded_copies_of_trusted_rows_in_the_pool_are_reported) {
  const Matrix trusted = test::RandomRows(250, 16, 1);
  Matrix pool = test::ShiftedPool(400, 16, 2, 1.5);
  BOOST_TEST(TextAbout(FitOn(trusted, pool, Quick()), "trusted nearly in pool") == "");
  for (std::size_t i = 0; i < 160; ++i) {
    pool.values[i] = std::round(trusted.values[i] * 1024) / 1024;
  }
  std::copy_n(trusted.values.begin() + 160, 16, pool.values.begin() + 160);
  const FitResult fit = FitOn(trusted, pool, Quick());
  BOOST_TEST(fit.model.summary.rows_trusted_in_pool == 1);
  BOOST_TEST(TextAbout(fit, "trusted nearly in pool") ==
             "10 trusted rows have a near copy in the pool, as after rounding: any evaluation on "
             "it is too good");
}

BOOST_AUTO_TEST_CASE(a_pool_with_another_mix_of_clusters_is_said_to_have_one) {
  // Two clusters; the pool has four times as many rows of the second.
  Matrix trusted = test::RandomRows(400, 8, 1);
  Matrix pool = test::RandomRows(1000, 8, 2);
  for (std::size_t i = 0; i < 400; i += 2) trusted.row(i)[0] += 6;
  for (std::size_t i = 0; i < 1000; ++i) {
    if (i % 10 < 8) pool.row(i)[0] += 6;
  }
  const FitResult fit = FitOn(trusted, pool, Quick());
  BOOST_TEST(fit.model.summary.mix_explained.value() > 0.5);
  BOOST_TEST(TextAbout(fit, "mix of classes") != "");
  const FitResult shifted =
      FitOn(test::RandomRows(400, 8, 1), test::ShiftedPool(1000, 8, 2, 1.5), Quick());
  BOOST_TEST(shifted.model.summary.mix_explained.has_value());
  BOOST_TEST(TextAbout(shifted, "mix of classes") == "");
  FitOptions paper = Quick();
  paper.recipe = Recipe::kPaper;
  BOOST_TEST(!FitOn(trusted, pool, paper).model.summary.mix_explained.has_value());
}

BOOST_AUTO_TEST_CASE(shifted_rows_among_the_trusted_ones_are_named) {
  Matrix trusted = test::RandomRows(300, 8, 1);
  const Matrix pool = test::ShiftedPool(1000, 8, 2, 3);
  FitOptions options;
  BOOST_TEST(TextAbout(FitOn(trusted, pool, options), "trusted above threshold") == "");
  for (std::size_t i = 10; i < 50; ++i) {
    for (std::size_t j = 0; j < 8; ++j) trusted.row(i)[j] += 3;
  }
  // A copy before them is counted, too.
  std::copy_n(trusted.row(0), 8, trusted.row(1));
  const FitResult fit = FitOn(trusted, pool, options);
  BOOST_TEST(fit.model.summary.rows_trusted_above >= 25);
  BOOST_TEST_REQUIRE(fit.model.summary.first_trusted_above.size() == 5U);
  for (const std::int64_t row : fit.model.summary.first_trusted_above) {
    BOOST_TEST((row >= 10 && row < 50));
  }
  BOOST_TEST(TextAbout(fit, "trusted above threshold") != "");
}

BOOST_AUTO_TEST_CASE(classes_and_ids_stay_with_their_rows) {
  FitInput given = InputOf(Repeated(test::RandomRows(3, 2, 1), 2));
  given.classes = {"a", "b", "c", "d", "e", "f"};
  given.ids = {"1", "2", "3", "4", "5", "6"};
  given.rows.valid.insert(given.rows.valid.begin(), 0);
  given.rows.num_invalid = 1;
  const LearnedRows learned(given, Recipe::kRobust);
  BOOST_TEST(learned.rows().rows.num_rows() == 3);
  BOOST_TEST(learned.rows().classes == std::vector<std::string>({"a", "b", "c"}));
  BOOST_TEST(learned.rows().ids == std::vector<std::string>({"1", "2", "3"}));
  BOOST_TEST(learned.NumberOf(0) == 1);  // the first is invalid
  BOOST_TEST(learned.NumberOf(2) == 3);
  BOOST_TEST(LearnedRows(given, Recipe::kPaper).NumberOf(5) == 6);
  FitSummary summary;
  learned.Describe(summary);
  BOOST_TEST(summary.rows_trusted == 6);
  BOOST_TEST(summary.rows_invalid_trusted == 1);
  BOOST_TEST(LearnedRows(given, Recipe::kPaper).rows().rows.num_rows() == 6);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
