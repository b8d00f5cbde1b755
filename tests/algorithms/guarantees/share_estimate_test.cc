#include "algorithms/guarantees/share_estimate.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

// Normal scores; this share of them is moved up by `shift`.
std::vector<double> Scores(std::size_t count, double share, double shift, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<double> scores(count);
  for (double& score : scores) score = random.Normal() + (random.Uniform() < share ? shift : 0);
  return scores;
}

BOOST_AUTO_TEST_SUITE(share_estimate)

BOOST_AUTO_TEST_CASE(the_share_of_a_mixture_is_found_and_lies_in_its_interval) {
  for (const double share : {0.0, 0.05, 0.25, 0.5, 0.75}) {
    int covered = 0;
    double error = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const Share found =
          EstimateShare(Scores(1000, 0, 0, seed), Scores(4000, share, 5, 1000 + seed));
      BOOST_TEST((0 <= found.low && found.low <= found.estimate && found.estimate <= found.high &&
                  found.high <= 1));
      covered += found.low <= share && share <= found.high ? 1 : 0;
      error += std::abs(found.estimate - share) / 100;
    }
    BOOST_TEST_CONTEXT(share) {
      BOOST_TEST(error < 0.03);
      BOOST_TEST(covered >= 93);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_lower_end_holds_where_shifted_rows_look_clean) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Share found =
        EstimateShare(Scores(1000, 0, 0, seed), Scores(4000, 0.5, 0.5, 1000 + seed));
    held += found.low <= 0.5 ? 1 : 0;
  }
  BOOST_TEST(held == 100);
}

BOOST_AUTO_TEST_CASE(weights_give_the_trusted_rows_another_mix) {
  // Of two kinds of clean rows the pool has the higher one more often.
  std::vector<double> trusted = Scores(500, 0, 0, 1);
  const std::vector<double> high = Scores(500, 1, 3, 2);
  trusted.insert(trusted.end(), high.begin(), high.end());
  std::vector<double> pool = Scores(400, 0, 0, 3);
  const std::vector<double> more = Scores(3600, 1, 3, 4);
  pool.insert(pool.end(), more.begin(), more.end());
  std::vector<double> weights(500, 0.2);
  weights.resize(1000, 1.8);
  BOOST_TEST(EstimateShare(trusted, pool).estimate > 0.5);
  BOOST_TEST(EstimateShare(trusted, pool, weights).estimate < 0.1);
}

BOOST_AUTO_TEST_CASE(edges) {
  const std::vector<double> low(10, 0.0);
  const std::vector<double> high(20, 1.0);
  BOOST_TEST(EstimateShare(low, high).estimate == 1);
  BOOST_TEST(EstimateShare(low, low).estimate == 0);
  BOOST_TEST(EstimateShare(high, low).estimate == 0);
  BOOST_TEST(EstimateShare({}, low).estimate == 0);
  BOOST_TEST(EstimateShare({}, low).high == 1);
  BOOST_TEST(Auroc(low, high) == 1);
  BOOST_TEST(Auroc(low, low) == 0.5);
  BOOST_TEST(Auroc({}, low) == 0.5);
}

BOOST_AUTO_TEST_CASE(groups_that_are_alike_widen_by_the_root_of_their_size) {
  const std::vector<double> alike = {1, 1, 1, 1, -1, -1, -1, -1};
  const std::vector<std::uint32_t> groups = {3, 3, 3, 3, 5, 5, 5, 5};
  BOOST_TEST(GroupWidening(alike, groups) == 2);
  // Rows that are no more alike within a group than between groups.
  const std::vector<double> mixed = {1, -1, 1, -1, 1, -1, 1, -1};
  BOOST_TEST(GroupWidening(mixed, groups) == 1);
  BOOST_TEST(GroupWidening(alike, {}) == 1);
  BOOST_TEST(GroupWidening(std::vector<double>(8, 0.5), groups) == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
