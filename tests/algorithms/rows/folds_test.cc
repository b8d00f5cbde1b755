#include "algorithms/rows/folds.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>
#include <vector>

#include "algorithms/rows/groups.h"

namespace spuna::algorithms {
namespace {

// Groups of 1, 2, … rows, in random order.
std::vector<std::uint32_t> GroupsOfAllSizes(std::uint32_t num_groups, std::uint64_t seed) {
  std::vector<std::uint32_t> groups;
  for (std::uint32_t group = 0; group < num_groups; ++group) {
    groups.insert(groups.end(), group + 1, 7 * group);
  }
  SeededRandom(seed).Shuffle(groups);
  return groups;
}

BOOST_AUTO_TEST_SUITE(folds)

BOOST_AUTO_TEST_CASE(without_groups_rows_are_dealt_out_and_shuffled) {
  SeededRandom random(3);
  SeededRandom same(3);
  const Folds found = AssignFolds(17, {}, 5, random);
  Folds expected(17);
  for (std::size_t i = 0; i < 17; ++i) expected[i] = i % 5;
  same.Shuffle(expected);
  BOOST_TEST(found == expected, boost::test_tools::per_element());
  BOOST_TEST(random.Below(1000) == same.Below(1000));
}

BOOST_AUTO_TEST_CASE(groups_stay_whole_and_folds_are_even) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const std::vector<std::uint32_t> groups = GroupsOfAllSizes(20, seed);
      SeededRandom random(seed);
      const Folds found = AssignFolds(groups.size(), groups, 4, random);
      for (const RowNumbers& rows : RowsByGroup(groups, groups.size())) {
        for (const std::uint32_t row : rows) BOOST_TEST(found[row] == found[rows.front()]);
      }
      // Of 210 rows about 52 each, though a group has up to 20.
      for (std::size_t fold = 0; fold < 4; ++fold) {
        BOOST_TEST(std::abs(static_cast<int>(RowsOf(fold, found).size()) - 52) <= 2);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(as_many_groups_as_folds_leave_none_empty) {
  const std::vector<std::uint32_t> groups = {1, 1, 1, 1, 1, 1, 5, 5, 9};
  SeededRandom random(1);
  const Folds found = AssignFolds(groups.size(), groups, 3, random);
  BOOST_TEST(std::set<std::size_t>(found.begin(), found.end()).size() == 3U);
}

BOOST_AUTO_TEST_CASE(the_seed_decides_which_groups_are_together) {
  std::set<Folds> found;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t i = 0; i < 24; ++i) groups.push_back(i / 2);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SeededRandom random(seed);
    found.insert(AssignFolds(groups.size(), groups, 4, random));
  }
  BOOST_TEST(found.size() == 10U);
}

BOOST_AUTO_TEST_CASE(rows_by_group_keep_their_order) {
  const std::vector<std::uint32_t> groups = {4, 2, 4, 0, 2};
  const std::vector<RowNumbers> expected = {{0, 2}, {1, 4}, {3}};
  BOOST_TEST((RowsByGroup(groups, 5) == expected));
  BOOST_TEST((RowsByGroup({}, 2) == std::vector<RowNumbers>{{0}, {1}}));
  BOOST_TEST(CountGroups(groups, 5) == 3U);
  BOOST_TEST(CountGroups({}, 5) == 5U);
  BOOST_TEST(RowsByGroup({}, 0).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
