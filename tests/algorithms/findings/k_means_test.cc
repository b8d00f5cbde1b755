#include "algorithms/findings/k_means.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

// Groups of rows around (20 g, 20 g, ...).
test::Matrix Groups(std::size_t num_groups, std::size_t rows_each, std::size_t dimension,
                    std::uint64_t seed) {
  test::Matrix rows = test::RandomRows(num_groups * rows_each, dimension, seed);
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    for (std::size_t j = 0; j < dimension; ++j) {
      rows.row(i)[j] += 20 * static_cast<float>(i / rows_each);
    }
  }
  return rows;
}

BOOST_AUTO_TEST_SUITE(k_means)

BOOST_AUTO_TEST_CASE(separate_groups_are_found) {
  // k-means++ may start with two rows of one group, but not often.
  int num_found = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const test::Matrix rows = Groups(3, 50, 4, seed);
    const Clusters clusters = ClusterRows(rows.view(), 3, seed);
    std::set<std::uint32_t> of_first(clusters.assignments.begin(),
                                     clusters.assignments.begin() + 50);
    std::vector<std::size_t> sizes = clusters.Sizes();
    num_found += of_first.size() == 1 && sizes == std::vector<std::size_t>(3, 50) ? 1 : 0;
  }
  BOOST_TEST(num_found >= 8);
}

BOOST_AUTO_TEST_CASE(every_centroid_is_the_mean_of_its_rows) {
  const test::Matrix rows = test::RandomRows(300, 3, 5);
  const Clusters clusters = ClusterRows(rows.view(), 4, 6);
  BOOST_TEST_REQUIRE(clusters.size() == 4);
  const std::vector<std::size_t> sizes = clusters.Sizes();
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t j = 0; j < 3; ++j) {
      double mean = 0;
      for (std::size_t i = 0; i < 300; ++i) {
        if (clusters.assignments[i] == c) mean += rows.view().row(i)[j];
      }
      mean /= static_cast<double>(sizes[c]);
      BOOST_TEST(std::abs(mean - clusters.centroids.view().row(c)[j]) < 1e-2);
    }
  }
}

BOOST_AUTO_TEST_CASE(no_cluster_is_empty_however_few_or_alike_the_rows_are) {
  for (const std::size_t num_rows : {0, 1, 2, 3, 17}) {
    for (const std::size_t num_clusters : {1, 2, 3, 19}) {
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        BOOST_TEST_CONTEXT(num_rows << " rows, " << num_clusters << " clusters, seed " << seed) {
          const test::Matrix hard = test::HardRows(num_rows, 3, seed);
          const Clusters clusters = ClusterRows(hard.view(), num_clusters, seed);
          BOOST_TEST(clusters.assignments.size() == num_rows);
          BOOST_TEST(clusters.size() <= std::min(num_rows, num_clusters));
          for (const std::size_t size : clusters.Sizes()) BOOST_TEST(size > 0);
          const test::Matrix alike{num_rows, 3, std::vector<float>(num_rows * 3, 1.5F)};
          BOOST_TEST(ClusterRows(alike.view(), num_clusters, seed).size() ==
                     std::min<std::size_t>(num_rows, 1));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(as_many_clusters_as_distinct_rows) {
  const std::vector<float> values = {1, 5, 1, 9, 5, 1};
  const Clusters clusters = ClusterRows({values.data(), 6, 1}, 5, 1);
  BOOST_TEST_REQUIRE(clusters.size() == 3);
  for (std::size_t i = 0; i < 6; ++i) {
    BOOST_TEST(clusters.centroids.values[clusters.assignments[i]] == values[i]);
  }
}

BOOST_AUTO_TEST_CASE(the_seed_decides) {
  const test::Matrix rows = test::RandomRows(200, 5, 8);
  const Clusters first = ClusterRows(rows.view(), 6, 1);
  BOOST_TEST((first.centroids.values == ClusterRows(rows.view(), 6, 1).centroids.values));
  BOOST_TEST((first.centroids.values != ClusterRows(rows.view(), 6, 2).centroids.values));
}

BOOST_AUTO_TEST_CASE(rows_go_to_the_first_of_equally_near_centroids) {
  const std::vector<float> rows = {0, 2, 1};
  const std::vector<float> centroids = {0, 2, 0};
  const std::vector<std::uint32_t> expected = {0, 1, 0};
  BOOST_TEST(NearestCentroids({rows.data(), 3, 1}, {centroids.data(), 3, 1}) == expected,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_cluster_must_be_asked_for) {
  const test::Matrix rows = test::RandomRows(3, 2, 1);
  BOOST_CHECK_EXCEPTION(ClusterRows(rows.view(), 0, 1), std::invalid_argument, [](auto& error) {
    return std::string(error.what()) == "expected at least 1 cluster of 3 rows but found 0";
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
