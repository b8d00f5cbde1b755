#include "algorithms/recipe/soft_targets.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>

#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

std::vector<double> RandomScores(std::size_t count, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<double> scores(count);
  for (double& score : scores) score = random.Normal();
  return scores;
}

std::size_t Count(const std::vector<PseudoLabel>& labels, PseudoLabel label) {
  return static_cast<std::size_t>(std::ranges::count(labels, label));
}

BOOST_AUTO_TEST_SUITE(soft_targets)

BOOST_AUTO_TEST_CASE(labels_follow_the_ranking_and_leave_the_middle_open) {
  const std::vector<double> scores = RandomScores(1000, 1);
  const std::vector<PseudoLabel> labels = LabelByRank(scores, 0.2);
  BOOST_TEST(Count(labels, PseudoLabel::kShifted) == 150U);
  BOOST_TEST(Count(labels, PseudoLabel::kNone) == 100U);
  double lowest_shifted = INFINITY;
  double highest_clean = -INFINITY;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == PseudoLabel::kShifted) lowest_shifted = std::min(lowest_shifted, scores[i]);
    if (labels[i] == PseudoLabel::kClean) highest_clean = std::max(highest_clean, scores[i]);
  }
  BOOST_TEST(highest_clean < lowest_shifted);
}

BOOST_AUTO_TEST_CASE(a_share_that_may_be_too_low_is_raised) {
  const std::vector<double> scores = RandomScores(1000, 2);
  BOOST_TEST((LabelByRank(scores, 0.001) == LabelByRank(scores, 0.05)));
  BOOST_TEST((LabelByRank(scores, 0.05) != LabelByRank(scores, 0.06)));
}

BOOST_AUTO_TEST_CASE(grids_of_rows_and_shares_are_labeled_without_a_crash) {
  for (const std::size_t rows : {0, 1, 2, 3, 17}) {
    for (const double share : {0.0, 0.05, 0.5, 0.9, 1.0}) {
      BOOST_TEST(LabelByRank(RandomScores(rows, 3), share).size() == rows);
    }
  }
  // Rows that tie are taken by number.
  const std::vector<PseudoLabel> tied = LabelByRank(std::vector<double>(8, 1.0), 0.5);
  BOOST_TEST((tied.back() == PseudoLabel::kShifted));
  BOOST_TEST((tied.front() == PseudoLabel::kClean));
}

BOOST_AUTO_TEST_CASE(the_floor_grows_with_the_share) {
  const std::vector<PseudoLabel> labels = {PseudoLabel::kClean, PseudoLabel::kNone,
                                           PseudoLabel::kShifted};
  const PoolTargets rare = TargetsOfLabels(labels, 0.02);
  BOOST_TEST((rare.network == std::vector<float>{0.25F, 0.625F, 1.0F}));
  BOOST_TEST((rare.linear == rare.network));
  const PoolTargets often = TargetsOfLabels(labels, kLargestRefinedShare);
  BOOST_TEST((often.network == std::vector<float>{0.5F, 0.75F, 1.0F}));
}

BOOST_AUTO_TEST_CASE(without_proof_targets_are_halfway_to_those_of_the_pool) {
  const std::vector<double> logits = RandomScores(500, 5);
  const PoolTargets proven = TargetsOfLogits(logits, 0.1);
  const PoolTargets open = TargetsOfLogits(logits, 0.1, false);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    BOOST_TEST(open.network[i] == (proven.network[i] + 1) / 2, boost::test_tools::tolerance(1e-6F));
    BOOST_TEST(open.linear[i] == (proven.linear[i] + 1) / 2, boost::test_tools::tolerance(1e-6F));
  }
}

BOOST_AUTO_TEST_CASE(the_curve_has_the_mean_that_it_is_asked_for) {
  const std::vector<double> logits = RandomScores(500, 4);
  for (const double mean : {0.001, 0.3, 0.999}) {
    const std::vector<float> curve = ProbabilitiesWithMean(logits, mean);
    BOOST_TEST(std::accumulate(curve.begin(), curve.end(), 0.0) / 500 == mean,
               boost::test_tools::tolerance(1e-4));
  }
}

BOOST_AUTO_TEST_CASE(offsets_of_strata_shrink_with_what_is_learned_as_shifted) {
  Strata strata;
  strata.count = 2;
  strata.trusted = {0, 0, 0, 1};
  strata.pool = {0, 1, 1, 1};
  const std::vector<float> whole = StratumOffsets(strata, std::vector<float>(4, 1.0F));
  const std::vector<float> half = StratumOffsets(strata, std::vector<float>(4, 0.5F));
  BOOST_TEST(whole.size() == 8U);
  const float of_whole = whole[7] - whole[0];
  const float of_half = half[7] - half[0];
  BOOST_TEST(of_half > 0);
  BOOST_TEST(of_half < of_whole);
  BOOST_TEST(StratumOffsets({}, std::vector<float>(4, 1.0F)).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
