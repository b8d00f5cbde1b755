#include "algorithms/expansion/expansion.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "algorithms/expansion/banks.h"
#include "algorithms/expansion/neighbor_score.h"
#include "tests/support/random_rows.h"
#include "tests/support/reference.h"

namespace spuna::algorithms {
namespace {

using test::Matrix;

struct Shape {
  std::size_t num_trusted;
  std::size_t num_pool;
  std::size_t dimension;
  ExpansionOptions options;
};

ExpansionOptions Options(std::size_t alpha, std::size_t beta, std::size_t k, double epsilon = 0,
                         OnStop on_stop = OnStop::kKeep) {
  return {alpha, beta, k, epsilon, on_stop, SearchKind::kAuto};
}

// The fast code, by both searches and on 1 and 2 threads, must give the reference's labels, rounds
// and entropy, and its score without classifier.
void CheckAgainstReference(const Matrix& trusted, const Matrix& pool, ExpansionOptions options) {
  const test::ReferenceExpansion expected =
      test::ExpandReference(trusted.rows(), pool.rows(),
                            {options.alpha, options.beta, options.num_neighbors, options.epsilon,
                             options.on_stop == OnStop::kRollback});
  // Two scores this close could be ranked either way.
  BOOST_TEST_REQUIRE(expected.smallest_gap > 1e-12);
  for (const SearchKind search : {SearchKind::kKdTree, SearchKind::kProduct}) {
    for (const int num_threads : {1, 2}) {
      options.search = search;
      Execution execution;
      execution.num_threads = num_threads;
      const Expansion actual = ExpandLabels(trusted.view(), pool.view(), options, execution);
      for (std::size_t i = 0; i < pool.num_rows; ++i) {
        BOOST_TEST_REQUIRE(static_cast<int>(actual.labels[i]) == expected.labels[i]);
        BOOST_TEST_REQUIRE(actual.rounds[i] == expected.rounds[i]);
      }
      BOOST_TEST(actual.num_rounds == expected.num_rounds);
      BOOST_TEST((actual.stopped_by == StoppedBy::kEntropy) == expected.stopped_by_entropy);
      BOOST_TEST_REQUIRE(actual.entropy.size() == expected.entropy.size());
      for (std::size_t t = 0; t < actual.entropy.size(); ++t) {
        BOOST_TEST(std::abs(actual.entropy[t] - expected.entropy[t]) < 1e-9);
      }

      const std::vector<double> scores = ScorePoolByNeighbors(
          trusted.view(), pool.view(), actual, options.num_neighbors, search, execution);
      const std::vector<double> expected_scores = test::PoolNeighborScoresReference(
          trusted.rows(), pool.rows(), expected.labels, options.num_neighbors);
      for (std::size_t i = 0; i < pool.num_rows; ++i) {
        const bool same = std::abs(scores[i] - expected_scores[i]) < 1e-9 ||
                          (std::isnan(scores[i]) && std::isnan(expected_scores[i]));
        BOOST_TEST_REQUIRE(same);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE(expansion)

BOOST_AUTO_TEST_CASE(matches_the_reference_on_many_shapes) {
  const Shape shapes[] = {
      {50, 300, 8, Options(5, 30, 10)},
      {1, 60, 3, Options(2, 7, 100)},          // one trusted row
      {40, 120, 64, Options(10, 20, 5)},       // fewer shifted rows than dimensions
      {30, 101, 5, Options(3, 1000, 4)},       // one round takes all, one row is left
      {30, 100, 2, Options(50, 10, 4)},        // the seeds take all
      {30, 90, 2, Options(1, 4, 1)},           // one seed: no covariance at first
      {60, 200, 12, Options(4, 15, 7, -1e9)},  // never stopped by entropy
      {60, 200, 12, Options(4, 15, 7, 1e9)},   // stopped after round 1
      {60, 200, 12, Options(4, 15, 7, 1e9, OnStop::kRollback)},  // and given back
      {60, 200, 12, Options(4, 15, 7, 0, OnStop::kRollback)},
  };
  for (const Shape& shape : shapes) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      BOOST_TEST_CONTEXT("pool " << shape.num_pool << " dimension " << shape.dimension << " alpha "
                                 << shape.options.alpha << " epsilon " << shape.options.epsilon
                                 << " seed " << seed) {
        CheckAgainstReference(test::RandomRows(shape.num_trusted, shape.dimension, seed),
                              test::ShiftedPool(shape.num_pool, shape.dimension, seed + 50, 0.7),
                              shape.options);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(matches_the_reference_on_duplicates_constants_and_long_rows) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      CheckAgainstReference(test::HardRows(60, 9, seed), test::HardRows(250, 9, seed + 30),
                            Options(6, 20, 11));
    }
  }
}

BOOST_AUTO_TEST_CASE(equal_rows_are_ranked_by_their_number) {
  // Clean rows at 0, shifted rows at 1, each eight times: the seeds are the lowest clean rows and
  // the highest shifted rows.
  const Matrix trusted{2, 1, {0, 0.1F}};
  Matrix pool{16, 1, std::vector<float>(16, 0)};
  for (std::size_t i = 0; i < 16; i += 2) pool.values[i] = 1;
  const Expansion expansion = ExpandLabels(trusted.view(), pool.view(), Options(2, 1, 3), {});
  BOOST_TEST(expansion.rounds[1] == 0);
  BOOST_TEST(expansion.rounds[3] == 0);
  BOOST_TEST(expansion.rounds[12] == 0);
  BOOST_TEST(expansion.rounds[14] == 0);
  // In a round the highest scores are clean, so of equal rows the last becomes clean, the first
  // shifted.
  BOOST_TEST(expansion.rounds[15] == 1);
  BOOST_TEST(static_cast<int>(expansion.labels[15]) == static_cast<int>(PseudoLabel::kClean));
  BOOST_TEST(expansion.rounds[0] == 1);
  BOOST_TEST(static_cast<int>(expansion.labels[0]) == static_cast<int>(PseudoLabel::kShifted));
}

BOOST_AUTO_TEST_CASE(rejects_what_cannot_be_expanded) {
  const Matrix rows = test::RandomRows(10, 3, 1);
  const Matrix other = test::RandomRows(10, 4, 1);
  const Matrix none{0, 3, {}};
  const Matrix same{10, 3, std::vector<float>(30, 0.5F)};
  auto message = [&](const Matrix& trusted, const Matrix& pool, const ExpansionOptions& options) {
    try {
      ExpandLabels(trusted.view(), pool.view(), options, {});
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  BOOST_TEST(
      message(rows, rows, Options(6, 1, 1)) ==
      "2 * `alpha` must not exceed the number of valid pool rows, but `alpha` is 6 and the pool "
      "has 10 valid rows; lower `alpha` or give a larger pool");
  BOOST_TEST(message(rows, rows, Options(0, 1, 1)) ==
             "`alpha`, `beta` and `k` must be at least 1, but are 0, 1 and 1");
  BOOST_TEST(message(rows, rows, Options(1, 1, 1, NAN)) == "`epsilon` must be a finite number");
  BOOST_TEST(message(rows, other, Options(1, 1, 1)) ==
             "trusted rows have dimension 3 but pool rows have dimension 4");
  BOOST_TEST(message(none, rows, Options(1, 1, 1)) == "there are no valid trusted rows");
  BOOST_TEST(message(rows, none, Options(1, 1, 1)) == "there are no valid pool rows");
  BOOST_TEST(message(same, same, Options(1, 1, 1)) ==
             "all 10 pool rows are identical: without any spread nothing can be told "
             "apart");
}

BOOST_AUTO_TEST_CASE(reports_its_stages_and_stops_when_asked) {
  const Matrix trusted = test::RandomRows(20, 3, 1);
  const Matrix pool = test::ShiftedPool(100, 3, 2, 1);
  std::vector<Stage> stages;
  Execution execution;
  execution.on_progress = [&](const Progress& progress) { stages.push_back(progress.stage); };
  ExpandLabels(trusted.view(), pool.view(), Options(5, 10, 3), execution);
  BOOST_TEST((stages.front() == Stage::kSeed));
  BOOST_TEST((stages[1] == Stage::kEntropy));
  BOOST_TEST((stages[2] == Stage::kExpand));
  // Stop somewhere in the middle.
  int questions = 0;
  execution.should_stop = [&] { return ++questions > 5; };
  BOOST_CHECK_THROW(ExpandLabels(trusted.view(), pool.view(), Options(5, 10, 3), execution),
                    Interrupted);
}

BOOST_AUTO_TEST_CASE(goes_on_from_any_round_to_the_same_bits) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const double share : {0.5, 0.2}) {
      for (const SearchKind search : {SearchKind::kKdTree, SearchKind::kProduct}) {
        BOOST_TEST_CONTEXT("seed " << seed << ", share " << share) {
          const Matrix trusted = test::RandomRows(60, 7, seed);
          Matrix pool = test::ShiftedPool(400, 7, seed + 10, 1.5);
          // Equal rows are told apart by their numbers.
          for (const std::size_t row : {11, 12, 300}) std::copy_n(pool.row(10), 7, pool.row(row));
          ExpansionOptions options = Options(6, 25, 20, -100);
          options.search = search;
          options.share = share;
          std::vector<Expansion> rounds;
          ExpansionRecord record;
          record.on_round = [&](const Expansion& labels) { rounds.push_back(labels); };
          const Expansion expected =
              ExpandLabels(trusted.view(), pool.view(), options, {}, {}, record);
          BOOST_TEST_REQUIRE(rounds.size() > 3U);
          for (const Expansion& round : rounds) {
            ExpansionRecord later;
            later.begin = round;
            const Expansion actual =
                ExpandLabels(trusted.view(), pool.view(), options, {}, {}, later);
            BOOST_TEST((actual.labels == expected.labels));
            BOOST_TEST((actual.rounds == expected.rounds));
            BOOST_TEST((actual.entropy == expected.entropy));
            BOOST_TEST(actual.num_rounds == expected.num_rounds);
            BOOST_TEST((actual.stopped_by == expected.stopped_by));
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
