#include "algorithms/guarantees/metrics.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "algorithms/rows/seeded_random.h"
#include "tests/support/reference.h"

namespace spuna::algorithms {
namespace {

BOOST_AUTO_TEST_SUITE(metrics)

BOOST_AUTO_TEST_CASE(match_the_references_with_many_ties) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      SeededRandom random(seed);
      const std::size_t num_rows = 2 + random.Below(120);
      const std::uint64_t num_values = 1 + random.Below(40);
      std::vector<double> scores;
      std::vector<std::uint8_t> shifted = {0, 1};
      for (std::size_t i = 0; i < num_rows; ++i) {
        if (i >= 2) shifted.push_back(random.Below(3) == 0 ? 1 : 0);
        scores.push_back(static_cast<double>(random.Below(num_values)) + shifted[i]);
      }
      const DetectionMetrics metrics = EvaluateDetection(scores, shifted);
      BOOST_TEST(std::abs(metrics.auroc - test::AurocReference(scores, shifted)) < 1e-12);
      BOOST_TEST(std::abs(metrics.aupr - test::AuprReference(scores, shifted)) < 1e-12);
      BOOST_TEST(std::abs(metrics.fpr95 - test::Fpr95Reference(scores, shifted)) < 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(are_as_computed_by_hand) {
  // Shifted rows score 4, 3, 1; clean rows 3, 2.
  const std::vector<double> scores = {4, 3, 1, 3, 2};
  const std::vector<std::uint8_t> shifted = {1, 1, 1, 0, 0};
  const DetectionMetrics metrics = EvaluateDetection(scores, shifted);
  BOOST_TEST(std::abs(metrics.auroc - 3.5 / 6) < 1e-12);
  BOOST_TEST(std::abs(metrics.aupr - (1.0 + 2.0 / 3 + 3.0 / 5) / 3) < 1e-12);
  BOOST_TEST(metrics.fpr95 == 1);
}

BOOST_AUTO_TEST_CASE(reach_their_ends) {
  const std::vector<std::uint8_t> shifted = {1, 1, 0, 0, 0};
  const DetectionMetrics perfect = EvaluateDetection(std::vector<double>{9, 8, 1, 2, 3}, shifted);
  BOOST_TEST(perfect.auroc == 1);
  BOOST_TEST(perfect.aupr == 1);
  BOOST_TEST(perfect.fpr95 == 0);
  const DetectionMetrics worst = EvaluateDetection(std::vector<double>{1, 2, 7, 8, 9}, shifted);
  BOOST_TEST(worst.auroc == 0);
  BOOST_TEST(worst.fpr95 == 1);
  const DetectionMetrics constant = EvaluateDetection(std::vector<double>(5, 0.3), shifted);
  BOOST_TEST(constant.auroc == 0.5);
  BOOST_TEST(std::abs(constant.aupr - 0.4) < 1e-12);
}

BOOST_AUTO_TEST_CASE(need_both_classes) {
  const std::vector<double> scores = {1, 2};
  for (const std::uint8_t only : {0, 1}) {
    const std::vector<std::uint8_t> shifted = {only, only};
    BOOST_CHECK_THROW(EvaluateDetection(scores, shifted), std::invalid_argument);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
