#include "algorithms/neighbors/nearest_distances.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "algorithms/rows/seeded_random.h"
#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

BOOST_AUTO_TEST_SUITE(nearest_distances)

BOOST_AUTO_TEST_CASE(merging_in_parts_is_sorting_the_whole) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      SeededRandom random(seed);
      const std::size_t k = 1 + random.Below(8);
      NearestDistances lists(3, k);
      std::vector<double> all;
      for (int part = 0; part < 5; ++part) {
        std::vector<double> candidates(random.Below(7));
        // Few different values, so that there are ties.
        for (double& value : candidates) value = static_cast<double>(random.Below(6));
        all.insert(all.end(), candidates.begin(), candidates.end());
        lists.Merge(1, candidates);
        std::vector<double> expected = all;
        std::sort(expected.begin(), expected.end());
        expected.resize(std::min(k, expected.size()));
        BOOST_TEST(lists.squared(1) == expected, boost::test_tools::per_element());
        BOOST_TEST(lists.limit(1) == (expected.size() < k ? INFINITY : expected.back()));
      }
      BOOST_TEST(lists.squared(0).empty());
      BOOST_TEST(lists.squared(2).empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(means_and_minimums_are_of_distances_not_of_squares) {
  NearestDistances lists(1, 3);
  BOOST_TEST(std::isnan(lists.Mean(0)));
  std::vector<double> candidates = {16, 4, 1, 100};
  lists.Merge(0, candidates);
  BOOST_TEST(lists.Minimum(0) == 1);
  BOOST_TEST(lists.Mean(0) == (1.0 + 2.0 + 4.0) / 3);
}

BOOST_AUTO_TEST_CASE(squared_distance_is_exact_for_every_dimension) {
  for (std::size_t dimension = 1; dimension < 40; ++dimension) {
    const test::Matrix rows = test::RandomRows(2, dimension, dimension);
    double expected = 0;
    for (std::size_t j = 0; j < dimension; ++j) {
      const double difference = static_cast<double>(rows.values[j]) - rows.values[dimension + j];
      expected += difference * difference;
    }
    const double actual = SquaredDistance(rows.view().row(0), rows.view().row(1), dimension);
    BOOST_TEST(std::abs(actual - expected) <= 1e-14 * expected);
    BOOST_TEST(SquaredDistance(rows.view().row(0), rows.view().row(0), dimension) == 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
