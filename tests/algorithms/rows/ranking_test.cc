#include "algorithms/rows/ranking.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

RowNumbers HighestByComparing(const std::vector<float>& values, std::size_t count) {
  RowNumbers order = AllRows(values.size());
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a > b;
  });
  order.resize(std::min(count, order.size()));
  return order;
}

BOOST_AUTO_TEST_SUITE(ranking)

BOOST_AUTO_TEST_CASE(the_highest_rows_are_those_that_comparing_finds) {
  SeededRandom random(1);
  for (const std::size_t size : {1, 2, 10, 1000, 5000}) {
    for (const int kind : {0, 1, 2, 3}) {
      std::vector<float> values;
      for (std::size_t i = 0; i < size; ++i) {
        const auto normal = static_cast<float>(random.Normal());
        // Normal, with ties and both zeros, all equal, and over the whole range of numbers.
        values.push_back(kind == 0   ? normal
                         : kind == 1 ? std::trunc(normal)
                         : kind == 2
                             ? -2.0F
                             : std::ldexp(normal, static_cast<int>(random.Below(240)) - 120));
      }
      for (const std::size_t count : {std::size_t{0}, std::size_t{1}, size / 3, size}) {
        BOOST_TEST_CONTEXT(count << " of " << size << " of kind " << kind) {
          BOOST_TEST(HighestRows(values, count) == HighestByComparing(values, count),
                     boost::test_tools::per_element());
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(infinities_and_more_than_all_rows_are_ranked_too) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{1, -kInfinity, kInfinity, -0.0F, 0.0F};
  const RowNumbers expected{2, 0, 4, 3, 1};
  BOOST_TEST(HighestRows(values, 9) == expected, boost::test_tools::per_element());
  BOOST_TEST(HighestRows({}, 3).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
