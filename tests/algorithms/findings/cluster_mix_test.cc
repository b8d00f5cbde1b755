#include "algorithms/findings/cluster_mix.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

#include "algorithms/rows/seeded_random.h"
#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kNumClasses = 10;

// Rows of ten separate classes, the class of row i drawn by `weights`, and a score for each.
struct Classes {
  test::Matrix rows;
  std::vector<double> scores;

  // A class's score rises with `class_score`, every row's by `shift`.
  Classes(std::size_t num_rows, const std::vector<double>& weights, double class_score,
          double shift, std::uint64_t seed)
      : rows(test::RandomRows(num_rows, kNumClasses, seed)) {
    SeededRandom random(seed);
    double total = 0;
    for (const double weight : weights) total += weight;
    for (std::size_t i = 0; i < num_rows; ++i) {
      double remainder = random.Uniform() * total;
      std::size_t kind = 0;
      while (kind + 1 < kNumClasses && (remainder -= weights[kind]) > 0) ++kind;
      rows.row(i)[kind] += 30;
      scores.push_back(random.Normal() + shift + (kind < 2 ? class_score : 0));
    }
  }
};

const std::vector<double> kEven(kNumClasses, 1.0);
const std::vector<double> kOtherMix = {8, 8, 1, 1, 1, 1, 1, 1, 1, 1};

ClusterMix Measure(const Classes& trusted, const Classes& pool, std::uint64_t seed) {
  return MeasureClusterMix(trusted.rows.view(), pool.rows.view(), trusted.scores, pool.scores,
                           seed);
}

BOOST_AUTO_TEST_SUITE(cluster_mix)

BOOST_AUTO_TEST_CASE(another_mix_is_explained) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const ClusterMix mix =
          Measure({1000, kEven, 3, 0, 10 + seed}, {2000, kOtherMix, 3, 0, 20 + seed}, seed);
      BOOST_TEST(mix.auroc > 0.65);
      BOOST_TEST(mix.explained > 0.85);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_shift_inside_all_clusters_is_not) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const ClusterMix mix =
          Measure({1000, kEven, 3, 0, 30 + seed}, {2000, kEven, 3, 1.5, 40 + seed}, seed);
      BOOST_TEST(mix.auroc > 0.65);
      BOOST_TEST(mix.explained < 0.1);
    }
  }
}

BOOST_AUTO_TEST_CASE(where_nothing_differs_nothing_is_explained) {
  const Classes rows(1000, kEven, 3, 0, 50);
  const ClusterMix same = Measure(rows, rows, 1);
  BOOST_TEST(same.auroc == 0.5);
  BOOST_TEST(std::abs(same.within_auroc - 0.5) < 1e-12);
  BOOST_TEST(same.explained == 0);
}

BOOST_AUTO_TEST_CASE(few_and_absurd_rows) {
  for (const std::size_t num_trusted : {0, 1, 2, 39, 40, 41}) {
    for (const std::size_t num_pool : {0, 1, 2, 17}) {
      for (const bool alike : {false, true}) {
        BOOST_TEST_CONTEXT(num_trusted << " and " << num_pool << " rows") {
          test::Matrix trusted = test::HardRows(num_trusted, 50, 3);
          test::Matrix pool = test::HardRows(num_pool, 50, 4);
          if (alike) trusted.values.assign(trusted.values.size(), 1.0F);
          if (alike) pool.values.assign(pool.values.size(), 1.0F);
          const std::vector<double> low(num_trusted, 0.0);
          const std::vector<double> high(num_pool, 1.0);
          const ClusterMix mix = MeasureClusterMix(trusted.view(), pool.view(), low, high, 1);
          const bool empty = num_trusted == 0 || num_pool == 0;
          BOOST_TEST(mix.auroc == (empty ? 0.5 : 1.0));
          BOOST_TEST(std::abs(mix.within_auroc - mix.auroc) < 1e-12);
          BOOST_TEST(mix.explained < 1e-12);
          if (!empty && num_trusted < 40) BOOST_TEST(mix.num_clusters == 1);
          BOOST_TEST(mix.num_clusters <= 2);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(many_rows_are_taken_evenly) {
  const Classes trusted(6000, kEven, 3, 0, 60);
  const Classes pool(21000, kOtherMix, 3, 0, 61);
  const ClusterMix mix = Measure(trusted, pool, 1);
  BOOST_TEST(mix.num_trusted == 5000);
  BOOST_TEST(mix.num_pool == 20000);
  BOOST_TEST(mix.explained > 0.85);
}

BOOST_AUTO_TEST_CASE(every_row_needs_a_score) {
  const test::Matrix rows = test::RandomRows(3, 2, 1);
  const std::vector<double> scores(3);
  const std::vector<double> fewer(2);
  BOOST_CHECK_EXCEPTION(MeasureClusterMix(rows.view(), rows.view(), scores, fewer, 1),
                        std::invalid_argument, [](auto& error) {
                          return std::string(error.what()) ==
                                 "expected 3 and 3 scores but found 3 and 2";
                        });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
