#include "pipelines/fit/held_back_fit.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>
#include <vector>

#include "algorithms/rows/seeded_random.h"
#include "pipelines/fit/fit_steps.h"
#include "tests/support/files_example.h"
#include "tests/support/fit_inputs.h"

namespace spuna {
namespace {

using test::InputOf;
using test::Matrix;

constexpr std::size_t kNumRows = 200;
constexpr std::uint64_t kSeed = 3;

// Fits, and notes which trusted rows each of the fits learned: by their first value, rounded, which
// near copies have in common.
struct Recorder {
  std::vector<std::vector<float>> learned;
  FitInput pool = InputOf(test::ShiftedPool(300, 8, 2, 1.5));
  Runtime runtime = test::Threads(1);
  StageClock clock{runtime};

  FitFunction fit = [this](FitInput& trusted, FitInput& more_pool, const FitExtras&, bool) {
    learned.emplace_back();
    for (std::size_t i = 0; i < trusted.rows.view().num_rows; ++i) {
      learned.back().push_back(trusted.rows.view().row(i)[0]);
    }
    FitOptions options;
    options.epochs = 1;
    return FitWithoutDecision(trusted, more_pool, options, {}, clock, nullptr);
  };
};

// The second half of the rows is the first with other last digits, but for the first value.
Matrix WithNearCopies() {
  Matrix rows = test::RandomRows(kNumRows, 8, 1);
  for (std::size_t i = 0; i < kNumRows / 2; ++i) {
    std::transform(rows.row(i) + 1, rows.row(i) + 8, rows.row(i + kNumRows / 2) + 1,
                   [](float value) { return value + 0.0005F; });
    rows.row(i + kNumRows / 2)[0] = rows.row(i)[0];
  }
  return rows;
}

// Whether all rows that are there are there twice.
bool IsPaired(const std::vector<float>& values) {
  const std::multiset<float> counted(values.begin(), values.end());
  return std::ranges::all_of(values, [&](float value) { return counted.count(value) == 2; });
}

BOOST_AUTO_TEST_SUITE(held_back_fit)

BOOST_AUTO_TEST_CASE(without_near_copies_the_rows_are_those_of_a_shuffle) {
  const Matrix rows = test::RandomRows(kNumRows, 8, 1);
  Recorder recorder;
  const FitResult result =
      FitWithSplit(InputOf(rows), recorder.pool, 51, kSeed, {}, recorder.fit, recorder.clock);
  algorithms::RowNumbers shuffled = algorithms::AllRows(kNumRows);
  algorithms::SeededRandom(kSeed).Shuffle(shuffled);
  algorithms::RowNumbers kept(shuffled.begin() + 51, shuffled.end());
  std::ranges::sort(kept);
  std::vector<float> expected;
  for (const std::uint32_t row : kept) expected.push_back(rows.view().row(row)[0]);
  BOOST_TEST(recorder.learned.at(0) == expected, boost::test_tools::per_element());
  BOOST_TEST(result.model.summary.rows_calibration == 51);
  BOOST_TEST(recorder.pool.rows.num_rows() == 300);
}

BOOST_AUTO_TEST_CASE(near_copies_are_on_one_side_of_a_split) {
  Recorder recorder;
  // One of each pair calibrates.
  const FitResult result = FitWithSplit(InputOf(WithNearCopies()), recorder.pool, 31, kSeed, {},
                                        recorder.fit, recorder.clock);
  BOOST_TEST(result.model.summary.rows_calibration == 31);
  BOOST_TEST(result.model.calibration.own.size() == 31U);
  BOOST_TEST(recorder.learned.at(0).size() == kNumRows - 62);
  BOOST_TEST(IsPaired(recorder.learned.at(0)));
}

BOOST_AUTO_TEST_CASE(near_copies_are_in_one_fold) {
  Recorder recorder;
  FitInput trusted = InputOf(WithNearCopies());
  const FitResult result =
      FitWithCross(trusted, recorder.pool, kSeed, {}, recorder.fit, recorder.clock);
  BOOST_TEST_REQUIRE(recorder.learned.size() == 6U);
  std::size_t num_held_out = 0;
  for (const std::vector<float>& learned : recorder.learned) {
    BOOST_TEST(IsPaired(learned));
    num_held_out += kNumRows - learned.size();
  }
  BOOST_TEST(num_held_out == kNumRows);
  BOOST_TEST(result.model.calibration.folds.size() == 5U);
}

BOOST_AUTO_TEST_CASE(rows_that_are_all_near_copies_are_split_all_the_same) {
  Matrix rows = test::RandomRows(40, 7, 1);
  // In seven dimensions exact copies count.
  for (std::size_t i = 1; i < 40; ++i) std::copy_n(rows.row(0), 7, rows.row(i));
  Recorder recorder;
  recorder.pool = InputOf(test::ShiftedPool(100, 7, 2, 1.5));
  const FitResult result =
      FitWithSplit(InputOf(rows), recorder.pool, 10, kSeed, {}, recorder.fit, recorder.clock);
  BOOST_TEST(result.model.summary.rows_calibration == 10);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
