#include "algorithms/findings/spread_choice.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

// Two clusters far from each other: the higher one scores a little higher.
struct Clusters {
  test::Matrix rows = test::RandomRows(200, 4, 1);
  test::Matrix trusted = test::RandomRows(300, 4, 2);
  std::vector<float> scores;
  std::vector<std::uint8_t> counts = std::vector<std::uint8_t>(200, 1);
  RowSet set{4};

  Clusters() {
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      const bool is_first = i < 100;
      for (std::size_t j = 0; j < 4; ++j) {
        rows.row(i)[j] = rows.row(i)[j] * 0.1F + (is_first ? 3.0F : -3.0F);
      }
      scores.push_back((is_first ? 0.9F : 0.89F) - static_cast<float>(i % 100) * 1e-4F);
    }
    set.Add(rows.view());
  }

  RowNumbers Choose(std::size_t wanted) const {
    return ChooseSpread({set, scores, counts}, wanted, FitWhitening(trusted.view()), {});
  }
};

BOOST_AUTO_TEST_SUITE(spread_choice)

BOOST_AUTO_TEST_CASE(rows_of_both_clusters_are_chosen_and_the_highest_comes_first) {
  const Clusters clusters;
  const RowNumbers chosen = clusters.Choose(40);
  BOOST_TEST(chosen.size() == 40U);
  BOOST_TEST(chosen.front() == 0U);
  // The 40 highest are all of the first cluster; 120 are looked at.
  const auto of_second =
      std::ranges::count_if(chosen, [](std::uint32_t row) { return row >= 100; });
  BOOST_TEST(of_second >= 2);
  BOOST_TEST(std::set(chosen.begin(), chosen.end()).size() == 40U);
}

BOOST_AUTO_TEST_CASE(which_rows_count_does_not_change_the_order_of_choice) {
  Clusters clusters;
  const RowNumbers all = clusters.Choose(40);
  // Every third row does not count: it comes along, in its place.
  for (std::size_t i = 0; i < 200; i += 3) clusters.counts[i] = 0;
  const RowNumbers some = clusters.Choose(20);
  const auto counting =
      std::ranges::count_if(some, [&](std::uint32_t row) { return clusters.counts[row] != 0; });
  BOOST_TEST(counting == 20);
  BOOST_TEST(some.size() > 20U);
  BOOST_TEST(clusters.counts[some.back()] == 1);
  BOOST_TEST(all.front() == some.front());
}

BOOST_AUTO_TEST_CASE(absurd_numbers_of_rows) {
  const Clusters clusters;
  BOOST_TEST(clusters.Choose(0).empty());
  BOOST_TEST(clusters.Choose(200).size() == 200U);
  BOOST_TEST(clusters.Choose(100'000).size() == 200U);
  RowSet none(4);
  BOOST_TEST(ChooseSpread({none, {}, {}}, 3, FitWhitening(clusters.trusted.view()), {}).empty());
  // Rows that are all alike.
  const test::Matrix same = test::RandomRows(30, 4, 3, 1, 0);
  const std::vector<float> scores(30, 0.5F);
  const std::vector<std::uint8_t> counts(30, 1);
  const RowSet rows(same.view());
  BOOST_TEST(
      ChooseSpread({rows, scores, counts}, 7, FitWhitening(clusters.trusted.view()), {}).size() ==
      7U);
}

BOOST_AUTO_TEST_CASE(rows_near_a_threshold_that_are_not_taken) {
  const Clusters clusters;
  const RowNumbers taken = {0, 1, 2};
  const RowNumbers chosen =
      ChooseNear({clusters.set, clusters.scores, clusters.counts}, 0.9, taken, 4);
  BOOST_TEST(chosen == (RowNumbers{3, 4, 5, 6}), boost::test_tools::per_element());
  BOOST_TEST(ChooseNear({clusters.set, clusters.scores, clusters.counts}, 0.9, {}, 900).size() ==
             200U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
