// Fits on few rows of few columns, by default.
#include <boost/test/unit_test.hpp>
#include <cstdint>

#include "pipelines/fit/fit.h"
#include "tests/support/fit_inputs.h"
#include "tests/support/random_rows.h"

namespace spuna {
namespace {

BOOST_AUTO_TEST_SUITE(small_fits)

BOOST_AUTO_TEST_CASE(any_seed_ranks_moved_rows_first) {
  const test::Matrix trusted = test::RandomRows(200, 4, 1);
  test::Matrix pool = test::RandomRows(300, 4, 2);
  for (std::size_t k = 0; k < 100 * 4; ++k) pool.values[k] += 2;
  const Runtime runtime;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    FitOptions options;
    options.seed = seed;
    FitExtras extras;
    extras.pool_scores = true;
    StageClock clock(runtime);
    const FitResult fit =
        Fit(test::InputOf(trusted), test::InputOf(pool), options, extras, clock).ValueOrDie();
    double ahead = 0;
    for (std::size_t i = 0; i < 100; ++i) {
      for (std::size_t j = 100; j < 300; ++j) {
        ahead += fit.pool.scores[i] > fit.pool.scores[j] ? 1.0 / (100 * 200) : 0;
      }
    }
    BOOST_TEST(ahead > 0.98);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
