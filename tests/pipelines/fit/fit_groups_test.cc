#include "pipelines/fit/fit_groups.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "algorithms/rows/seeded_random.h"
#include "pipelines/fit/fit.h"
#include "pipelines/run/fit_warnings.h"
#include "tests/support/parquet_files.h"

namespace spuna {
namespace {

constexpr std::size_t kDimension = 4;
constexpr std::size_t kRowsOfGroup = 6;

// Groups of rows, each with an offset of its own that is large beside the spread of its rows.
FitInput GroupedRows(const std::string& name, std::size_t num_groups, std::uint64_t seed) {
  algorithms::SeededRandom random(seed);
  FitInput input;
  input.column = "embedding";
  input.where = name;
  input.rows.dimension = kDimension;
  for (std::size_t group = 0; group < num_groups; ++group) {
    std::vector<double> offset;
    for (std::size_t j = 0; j < kDimension; ++j) offset.push_back(3 * random.Normal());
    for (std::size_t i = 0; i < kRowsOfGroup; ++i) {
      for (const double place : offset) {
        input.rows.values.push_back(static_cast<float>(place + random.Normal()));
      }
      input.rows.valid.push_back(1);
      input.groups.push_back(name + std::to_string(group));
    }
  }
  return input;
}

FitOptions QuickOptions() {
  FitOptions options;
  options.hidden = 8;
  options.epochs = 2;
  options.fold_by = "video";
  return options;
}

arrow::Result<FitResult> RunFit(const FitInput& trusted, FitInput pool, const FitOptions& options) {
  const Runtime runtime;
  StageClock clock(runtime);
  FitExtras extras;
  extras.pool_scores = true;
  return Fit(trusted, std::move(pool), options, extras, clock);
}

// What the model gives one row.
float ScoreOf(const Model& model, const FitInput& input, std::size_t row) {
  const algorithms::EmbeddingsView all = input.rows.view();
  return model.classifier.Score({all.row(row), 1, all.dimension}, {}).front();
}

BOOST_AUTO_TEST_SUITE(fit_groups)

BOOST_AUTO_TEST_CASE(a_group_on_both_sides_is_named) {
  const FitInput trusted = GroupedRows("t", 4, 1);
  FitInput pool = GroupedRows("p", 4, 2);
  BOOST_TEST(CheckGroups(trusted, pool, "video").ok());
  pool.groups[3] = "t2";
  BOOST_TEST(
      RunFit(trusted, pool, QuickOptions()).status().message() ==
      "`fold-by`: group 't2' of column 'video' is in the trusted rows and in the pool; leave "
      "each group out of one of the two");
  pool.groups[0] = "t3";
  pool.groups[1] = "t0";
  BOOST_TEST(CheckGroups(trusted, pool, "video").message() ==
             "`fold-by`: group 't0' of column 'video' is in the trusted rows and in the pool, and "
             "so are 2 more; leave each group out of one of the two");
}

BOOST_AUTO_TEST_CASE(a_door_that_reads_no_groups_refuses_them) {
  FitInput trusted = GroupedRows("t", 4, 1);
  trusted.groups.clear();
  BOOST_TEST(RunFit(trusted, GroupedRows("p", 4, 2), QuickOptions()).status().message() ==
             "`fold-by` needs a column of groups, which a node of a plan does not read; fit on "
             "files or on a stream");
  BOOST_TEST(CheckGroups(trusted, trusted, "").ok());
}

BOOST_AUTO_TEST_CASE(a_row_without_a_group_is_alone) {
  FitInput trusted;
  FitInput pool;
  trusted.groups = {"a", "", "a", ""};
  trusted.rows.valid = {1, 1, 1, 1};
  pool.groups = {"b", "", "b"};
  BOOST_TEST(CheckGroups(trusted, pool, "video").ok());
  const algorithms::Groups groups = GroupsOf(trusted, pool);
  BOOST_TEST(groups.trusted == (std::vector<std::uint32_t>{0, 1, 0, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(groups.pool == (std::vector<std::uint32_t>{3, 4, 3}),
             boost::test_tools::per_element());
  BOOST_TEST((RowsByGroup(trusted) == std::vector<algorithms::RowNumbers>{{0, 2}, {1}, {3}}));
  trusted.groups.clear();
  BOOST_TEST(RowsByGroup(trusted).size() == 4U);
}

BOOST_AUTO_TEST_CASE(each_calibration_group_counts_once) {
  const FitInput trusted = GroupedRows("t", 40, 1);
  FitOptions options = QuickOptions();
  options.decision.max_clean_loss = 0.1;
  const FitResult split = test::Get(RunFit(trusted, GroupedRows("p", 30, 2), options));
  const std::vector<float>& calibration = split.model.calibration.own;
  BOOST_TEST(split.model.summary.rows_calibration == 10);
  BOOST_TEST(split.model.summary.rows_trusted == 40 * 6);
  BOOST_TEST(split.model.summary.rows_pool == 30 * 6);
  BOOST_TEST(split.pool.scores.size() == 30 * kRowsOfGroup);
  // The scores are those of ten rows of ten groups.
  std::set<std::string> held_out;
  for (const float score : calibration) {
    for (std::size_t row = 0; row < trusted.groups.size(); ++row) {
      if (std::abs(ScoreOf(split.model, trusted, row) - score) <= 1e-5F * score) {
        held_out.insert(trusted.groups[row]);
      }
    }
  }
  BOOST_TEST(calibration.size() == 10U);
  BOOST_TEST(held_out.size() == 10U);

  options.decision.calibration = Calibration::kCross;
  const FitResult cross = test::Get(RunFit(trusted, GroupedRows("p", 30, 2), options));
  BOOST_TEST(cross.model.summary.rows_calibration == 40);
  BOOST_TEST(cross.model.calibration.size() == 40U);
}

BOOST_AUTO_TEST_CASE(too_few_groups_for_a_level_are_counted) {
  FitOptions options = QuickOptions();
  options.decision.max_clean_loss = 0.05;
  BOOST_TEST(RunFit(GroupedRows("t", 30, 1), GroupedRows("p", 30, 2), options).status().message() ==
             "`max-clean-loss` 0.05 needs 19 calibration groups, at most half of the trusted "
             "groups, so 38 trusted groups, but there are 30; give more, or ask for less");
  BOOST_TEST(
      RunFit(GroupedRows("t", 1, 1), GroupedRows("p", 30, 2), QuickOptions()).status().message() ==
      "cross-fitting needs at least 2 trusted groups and 2 pool groups, but there are 1 and "
      "30; give more groups or use `recipe` paper");
}

BOOST_AUTO_TEST_CASE(few_groups_warn_of_what_the_test_can_reach) {
  auto warnings = [](std::size_t num_groups) {
    const Model model = test::Get(RunFit(GroupedRows("t", num_groups, 1),
                                         GroupedRows("p", num_groups, 2), QuickOptions()))
                            .model;
    std::vector<std::string> texts;
    for (const FitWarning& warning : WarningsOf(model.summary, {}, kDimension)) {
      if (warning.about == "few groups") texts.push_back(warning.text);
    }
    return texts;
  };
  const std::vector<std::string> few = warnings(3);
  BOOST_REQUIRE(few.size() == 1U);
  BOOST_TEST(few.front() ==
             "with so few groups the test can reach p = 0.05 at best, and below 0.05 is needed to "
             "prove a shift; give more groups");
  BOOST_TEST(warnings(5).empty());
}

BOOST_AUTO_TEST_CASE(groups_that_differ_are_no_shift) {
  int alone = 0;
  int together = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    FitOptions options = QuickOptions();
    options.seed = seed;
    auto found = [&] {
      FitInput trusted = GroupedRows("t", 12, seed);
      FitInput pool = GroupedRows("p", 12, 100 + seed);
      if (options.fold_by.empty()) {
        trusted.groups.clear();
        pool.groups.clear();
      }
      return test::Get(RunFit(trusted, pool, options)).model.summary.found ? 1 : 0;
    };
    together += found();
    options.fold_by.clear();
    alone += found();
  }
  BOOST_TEST(alone >= 9);
  BOOST_TEST(together <= 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
