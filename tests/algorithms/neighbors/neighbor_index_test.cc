#include "algorithms/neighbors/neighbor_index.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "tests/support/random_rows.h"
#include "tests/support/reference.h"

namespace spuna::algorithms {
namespace {

using test::Matrix;

constexpr SearchKind kKinds[] = {SearchKind::kKdTree, SearchKind::kProduct};

// Checks the mean distance to the k nearest of every query against the slow reference.
void CheckAgainstReference(SearchKind kind, const Matrix& bank, const Matrix& queries,
                           std::size_t k, int num_threads) {
  NearestDistances lists(queries.num_rows, k);
  const RowNumbers all = AllRows(queries.num_rows);
  Execution execution;
  execution.num_threads = num_threads;
  MakeNeighborIndex(kind, bank.view(), lists.num_neighbors())
      ->MergeNearest({queries.view(), all}, execution, lists);
  const test::Rows bank_rows = bank.rows();
  const test::Rows query_rows = queries.rows();
  for (std::size_t i = 0; i < queries.num_rows; ++i) {
    BOOST_TEST_REQUIRE(lists.squared(i).size() == std::min(k, bank.num_rows));
    const double expected = test::MeanNearestReference(query_rows[i], bank_rows, k);
    BOOST_TEST_REQUIRE(std::abs(lists.Mean(i) - expected) <= 1e-12 * (1 + expected));
  }
}

BOOST_AUTO_TEST_SUITE(neighbor_index)

BOOST_AUTO_TEST_CASE(matches_brute_force_on_many_shapes) {
  for (const SearchKind kind : kKinds) {
    for (const std::size_t dimension : {1, 2, 7, 8, 9, 64}) {
      for (const std::size_t num_bank : {1, 2, 4, 5, 6, 600}) {
        for (const std::size_t k : {1, 5, 700}) {
          const std::uint64_t seed = dimension * 1000 + num_bank;
          BOOST_TEST_CONTEXT("kind " << static_cast<int>(kind) << " dimension " << dimension
                                     << " bank " << num_bank << " k " << k << " seed " << seed) {
            CheckAgainstReference(kind, test::RandomRows(num_bank, dimension, seed),
                                  test::RandomRows(70, dimension, seed + 1), k, 2);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(matches_brute_force_on_duplicates_constants_and_long_rows) {
  for (const SearchKind kind : kKinds) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      BOOST_TEST_CONTEXT("kind " << static_cast<int>(kind) << " seed " << seed) {
        const Matrix bank = test::HardRows(640, 12, seed);
        CheckAgainstReference(kind, bank, bank, 9, 1);
        CheckAgainstReference(kind, bank, test::HardRows(200, 12, seed + 100), 9, 3);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(matches_brute_force_far_from_the_origin) {
  // The rows differ in the last digits only: a product that is not centered would see noise.
  for (const SearchKind kind : kKinds) {
    CheckAgainstReference(kind, test::RandomRows(500, 20, 1, 1000, 0.01),
                          test::RandomRows(60, 20, 2, 1000, 0.01), 10, 2);
  }
}

BOOST_AUTO_TEST_CASE(copes_with_the_largest_and_the_smallest_floats) {
  for (const SearchKind kind : kKinds) {
    for (const double spread : {1e-42, 1e-30, 1e30, 8e37}) {
      BOOST_TEST_CONTEXT("kind " << static_cast<int>(kind) << " spread " << spread) {
        const Matrix bank = test::RandomRows(300, 6, 1, 0, spread);
        const Matrix queries = test::RandomRows(40, 6, 2, 0, spread);
        NearestDistances lists(queries.num_rows, 5);
        const RowNumbers all = AllRows(queries.num_rows);
        MakeNeighborIndex(kind, bank.view(), lists.num_neighbors())
            ->MergeNearest({queries.view(), all}, {}, lists);
        for (std::size_t i = 0; i < queries.num_rows; ++i) {
          const double expected = test::MeanNearestReference(queries.rows()[i], bank.rows(), 5);
          BOOST_TEST(std::abs(lists.Mean(i) / expected - 1) < 1e-12);
        }
      }
    }
    // Queries that are astronomically far from a small bank.
    CheckAgainstReference(kind, test::RandomRows(300, 6, 1, 0, 1e-20),
                          test::RandomRows(40, 6, 2, 0, 1e20), 5, 1);
  }
}

BOOST_AUTO_TEST_CASE(copes_with_rows_one_rounding_apart) {
  // No float32 lies between these two: a tree could not halve the space between them.
  Matrix bank{60, 3, std::vector<float>(180, 1.0F)};
  for (std::size_t i = 0; i < 60; i += 2) bank.row(i)[i % 3] = std::nextafter(1.0F, 2.0F);
  for (const SearchKind kind : kKinds) CheckAgainstReference(kind, bank, bank, 7, 2);
}

BOOST_AUTO_TEST_CASE(copes_with_one_row_that_dwarfs_all_others) {
  Matrix bank = test::RandomRows(200, 5, 1);
  for (std::size_t j = 0; j < 5; ++j) bank.row(17)[j] *= 1e25F;
  const Matrix queries = test::RandomRows(30, 5, 2);
  for (const SearchKind kind : kKinds) CheckAgainstReference(kind, bank, queries, 4, 1);
}

BOOST_AUTO_TEST_CASE(puts_duplicates_at_exactly_zero) {
  const Matrix bank = test::RandomRows(900, 33, 3, 50);
  for (const SearchKind kind : kKinds) {
    NearestDistances lists(bank.num_rows, 1);
    const RowNumbers all = AllRows(bank.num_rows);
    MakeNeighborIndex(kind, bank.view(), lists.num_neighbors())
        ->MergeNearest({bank.view(), all}, {}, lists);
    for (std::size_t i = 0; i < bank.num_rows; ++i) BOOST_TEST_REQUIRE(lists.Minimum(i) == 0);
  }
}

BOOST_AUTO_TEST_CASE(leaves_out_the_query_itself_but_not_its_duplicates) {
  Matrix bank = test::RandomRows(50, 5, 4);
  std::copy_n(bank.row(7), bank.dimension, bank.row(20));
  const RowNumbers all = AllRows(bank.num_rows);
  std::vector<std::int64_t> itself(all.begin(), all.end());
  itself[9] = -1;
  for (const SearchKind kind : kKinds) {
    NearestDistances lists(bank.num_rows, 50);
    MakeNeighborIndex(kind, bank.view(), lists.num_neighbors())
        ->MergeNearest({bank.view(), all, itself}, {}, lists);
    BOOST_TEST(lists.squared(3).size() == 49U);
    BOOST_TEST(lists.Minimum(3) > 0);
    BOOST_TEST(lists.Minimum(7) == 0);
    BOOST_TEST(lists.squared(9).size() == 50U);
    BOOST_TEST(lists.Minimum(9) == 0);
  }
}

BOOST_AUTO_TEST_CASE(batches_of_a_growing_bank_add_up_to_the_whole) {
  const Matrix bank = test::HardRows(300, 10, 5);
  const Matrix queries = test::RandomRows(40, 10, 6);
  const RowNumbers queried = {0, 5, 39, 7};
  const RowNumbers order = AllRows(bank.num_rows);
  for (const SearchKind kind : kKinds) {
    NearestDistances whole(queries.num_rows, 12);
    NearestDistances grown(queries.num_rows, 12);
    MakeNeighborIndex(kind, bank.view(), whole.num_neighbors())
        ->MergeNearest({queries.view(), queried}, {}, whole);
    for (const auto& [begin, count] : {std::pair{0, 3}, std::pair{3, 1}, std::pair{4, 296}}) {
      const auto rows = std::span(order).subspan(static_cast<std::size_t>(begin),
                                                 static_cast<std::size_t>(count));
      MakeNeighborIndex(kind, bank.view(), rows, whole.num_neighbors())
          ->MergeNearest({queries.view(), queried}, {}, grown);
    }
    for (const std::uint32_t row : queried) {
      BOOST_TEST(whole.squared(row) == grown.squared(row), boost::test_tools::per_element());
    }
    BOOST_TEST(grown.squared(1).size() == 0U);
  }
}

BOOST_AUTO_TEST_CASE(both_searches_and_all_thread_counts_give_the_same_bits) {
  const Matrix bank = test::HardRows(700, 24, 7);
  const Matrix queries = test::RandomRows(333, 24, 8);
  const RowNumbers all = AllRows(queries.num_rows);
  NearestDistances expected(queries.num_rows, 20);
  MakeNeighborIndex(SearchKind::kProduct, bank.view(), expected.num_neighbors())
      ->MergeNearest({queries.view(), all}, {}, expected);
  for (const SearchKind kind : kKinds) {
    for (const int num_threads : {1, 2, 5}) {
      NearestDistances lists(queries.num_rows, 20);
      Execution execution;
      execution.num_threads = num_threads;
      MakeNeighborIndex(kind, bank.view(), lists.num_neighbors())
          ->MergeNearest({queries.view(), all}, execution, lists);
      for (std::size_t i = 0; i < queries.num_rows; ++i) {
        BOOST_TEST_REQUIRE(lists.squared(i) == expected.squared(i),
                           boost::test_tools::per_element());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(stops_when_asked) {
  const Matrix bank = test::RandomRows(100, 4, 1);
  NearestDistances lists(bank.num_rows, 3);
  const RowNumbers all = AllRows(bank.num_rows);
  Execution execution;
  execution.num_threads = 2;
  execution.should_stop = [] { return true; };
  for (const SearchKind kind : kKinds) {
    const auto index = MakeNeighborIndex(kind, bank.view(), 3);
    BOOST_CHECK_THROW(index->MergeNearest({bank.view(), all}, execution, lists), Interrupted);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
