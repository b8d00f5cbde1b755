#include "algorithms/share_estimate.h"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "algorithms/seeded_random.h"

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

BOOST_AUTO_TEST_CASE(the_share_of_a_mixture_is_found) {
  for (const double share : {0.05, 0.25, 0.5, 0.75}) {
    const double found = EstimateShare(Scores(1000, 0, 0, 1), Scores(4000, share, 5, 2));
    BOOST_TEST_CONTEXT(share) { BOOST_TEST(std::abs(found - share) < 0.04); }
  }
}

BOOST_AUTO_TEST_CASE(nothing_shifted_is_nearly_nothing) {
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    mean += EstimateShare(Scores(1000, 0, 0, seed), Scores(4000, 0, 0, 100 + seed)) / 20;
  }
  BOOST_TEST(mean < 0.04);
}

BOOST_AUTO_TEST_CASE(edges) {
  const std::vector<double> low(10, 0.0);
  const std::vector<double> high(20, 1.0);
  BOOST_TEST(EstimateShare(low, high) == 1);
  BOOST_TEST(EstimateShare(low, low) == 0);
  BOOST_TEST(EstimateShare(high, low) == 0);
  BOOST_TEST(EstimateShare({}, low) == 0);
  BOOST_TEST(MeasureSeparation(low, high).auroc == 1);
  BOOST_TEST(MeasureSeparation(low, low).auroc == 0.5);
  BOOST_TEST(MeasureSeparation({}, low).p_value == 1);
}

BOOST_AUTO_TEST_CASE(the_test_calls_a_shift_at_its_level_and_finds_one_that_is_there) {
  int called = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto separation =
        MeasureSeparation(Scores(100, 0, 0, seed), Scores(400, 0, 0, 1000 + seed));
    called += separation.p_value < 0.05 ? 1 : 0;
  }
  BOOST_TEST((called >= 2 && called <= 20));
  BOOST_TEST(MeasureSeparation(Scores(100, 0, 0, 1), Scores(400, 0.5, 2, 2)).p_value < 1e-4);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
