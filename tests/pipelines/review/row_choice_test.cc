#include "pipelines/review/row_choice.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

#include "pipelines/fit/fit.h"
#include "tests/support/fit_inputs.h"
#include "tests/support/random_rows.h"

namespace spuna {
namespace {

using test::InputOf;

// A fit on a pool of 400 rows, the first 100 of them moved.
struct Fitted {
  FitInput trusted = InputOf(test::RandomRows(200, 6, 1));
  FitInput pool;
  FitResult result;

  explicit Fitted(const FitOptions& options = {}) {
    test::Matrix rows = test::RandomRows(400, 6, 2);
    for (std::size_t k = 0; k < 100 * 6; ++k) rows.values[k] += 1.5F;
    pool = InputOf(rows);
    Runtime runtime;
    StageClock clock(runtime);
    FitExtras extras;
    extras.pool_scores = true;
    result = Fit(trusted, pool, options, extras, clock).ValueOrDie();
  }

  std::vector<ChosenRow> Choose(const ChoiceOptions& options,
                                const std::vector<std::uint8_t>& is_reviewed = {}) const {
    return ChooseRows(
        {trusted, pool, result.calibration_rows, is_reviewed, result.model, result.pool}, options,
        {});
  }
};

std::int64_t CountOf(const std::vector<ChosenRow>& chosen, const std::string& why) {
  return std::ranges::count_if(chosen,
                               [&](const ChosenRow& row) { return row.why.starts_with(why); });
}

BOOST_AUTO_TEST_SUITE(row_choice)

BOOST_AUTO_TEST_CASE(parts_are_as_large_as_asked_for_and_no_row_comes_twice) {
  const Fitted fitted;
  const std::vector<ChosenRow> chosen = fitted.Choose({50, 0.2, 1, 3});
  BOOST_TEST(chosen.size() == 50U);
  BOOST_TEST(CountOf(chosen, "high score") == 36);
  BOOST_TEST(CountOf(chosen, "near the threshold") == 4);
  BOOST_TEST(CountOf(chosen, "random, of the dropped rows") == 5);
  BOOST_TEST(CountOf(chosen, "random, of the kept rows") == 5);
  std::set<std::uint32_t> rows;
  for (const ChosenRow& row : chosen) {
    rows.insert(row.row);
    BOOST_TEST(row.score == fitted.result.pool.scores[row.row]);
    BOOST_TEST(row.is_dropped == (row.score >= 0.5));
    BOOST_TEST(row.nearest_trusted.has_value());
    BOOST_TEST(row.neighbors.size() == 3U);
    BOOST_TEST(std::ranges::is_sorted(row.neighbors, {}, &algorithms::NearestRow::distance));
  }
  BOOST_TEST(rows.size() == 50U);
}

BOOST_AUTO_TEST_CASE(a_row_that_was_reviewed_is_never_chosen_again) {
  const Fitted fitted;
  std::vector<std::uint8_t> is_reviewed(400);
  std::size_t num_rounds = 0;
  std::size_t num_chosen = 0;
  while (true) {
    const std::vector<ChosenRow> chosen = fitted.Choose({70, 0.3, num_rounds}, is_reviewed);
    if (chosen.empty()) break;
    for (const ChosenRow& row : chosen) {
      BOOST_TEST_REQUIRE(is_reviewed[row.row] == 0);
      is_reviewed[row.row] = 1;
    }
    num_chosen += chosen.size();
    BOOST_TEST_REQUIRE(++num_rounds < 10U);
  }
  BOOST_TEST(num_chosen == 400U);
}

BOOST_AUTO_TEST_CASE(random_rows_know_how_likely_they_were) {
  const Fitted fitted;
  const std::vector<ChosenRow> chosen = fitted.Choose({20, 1, 5});
  std::int64_t num_dropped = 0;
  for (std::size_t i = 0; i < 400; ++i) num_dropped += fitted.result.pool.scores[i] >= 0.5 ? 1 : 0;
  for (const ChosenRow& row : chosen) {
    const auto of_side = static_cast<double>(row.is_dropped ? num_dropped : 400 - num_dropped);
    BOOST_TEST_REQUIRE(row.probability.has_value());
    BOOST_TEST(*row.probability == 10 / of_side, boost::test_tools::tolerance(1e-12));
  }
  BOOST_TEST(fitted.Choose({20, 0, 5}).size() == 20U);
  for (const ChosenRow& row : fitted.Choose({20, 0, 5})) BOOST_TEST(!row.probability.has_value());
}

BOOST_AUTO_TEST_CASE(calibration_rows_are_chosen_with_the_others_and_come_in_addition) {
  FitOptions options;
  options.decision.max_clean_loss = 0.1;
  const Fitted fitted(options);
  BOOST_TEST_REQUIRE(fitted.result.calibration_rows.size() == 50U);
  // All rows of the pool: every calibration row that scores above some of them comes along.
  const std::vector<ChosenRow> chosen = fitted.Choose({400, 0, 1});
  const auto num_calibrating = std::ranges::count_if(chosen, &ChosenRow::calibrates);
  BOOST_TEST(num_calibrating > 40);
  BOOST_TEST(static_cast<std::int64_t>(chosen.size()) == 400 + num_calibrating);
  for (const ChosenRow& row : chosen) {
    if (!row.calibrates) continue;
    BOOST_TEST(std::ranges::count(fitted.result.calibration_rows, row.row) == 1);
    BOOST_TEST(!row.probability.has_value());
  }
}

BOOST_AUTO_TEST_CASE(equal_seeds_choose_equal_rows) {
  const Fitted fitted;
  const std::vector<ChosenRow> once = fitted.Choose({30, 0.5, 7});
  const std::vector<ChosenRow> again = fitted.Choose({30, 0.5, 7});
  BOOST_TEST(std::ranges::equal(once, again, {}, &ChosenRow::row, &ChosenRow::row));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
