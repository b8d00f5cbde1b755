#include "algorithms/rows/half_rows.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

BOOST_AUTO_TEST_SUITE(half_rows)

BOOST_AUTO_TEST_CASE(rows_come_back_to_within_half_of_their_last_digit) {
  constexpr std::size_t kDimension = 37;
  SeededRandom random(1);
  HalfRows rows(3, kDimension);
  BOOST_TEST(rows.size() == 3U);
  BOOST_TEST(rows.dimension() == kDimension);
  std::vector<std::vector<float>> values(3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < kDimension; ++j) {
      values[i].push_back(
          std::ldexp(static_cast<float>(random.Normal()), static_cast<int>(j) - 18));
    }
    rows.Set(i, values[i].data());
  }
  std::vector<float> back(kDimension);
  for (std::size_t i = 0; i < 3; ++i) {
    rows.CopyTo(i, back.data());
    for (std::size_t j = 0; j < kDimension; ++j) {
      BOOST_TEST(std::abs(back[j] - values[i][j]) <= std::ldexp(std::abs(values[i][j]), -8));
    }
  }
}

BOOST_AUTO_TEST_CASE(ties_go_to_the_even_one_and_few_digits_are_kept_exactly) {
  constexpr float kStep = 1.0F / 128;
  const std::vector<float> values{0, -0.0F, 1, -2.5F, 1 + kStep, 1 + kStep / 2, 1 + 1.5F * kStep};
  const std::vector<float> expected{0, -0.0F, 1, -2.5F, 1 + kStep, 1, 1 + 2 * kStep};
  HalfRows rows(1, values.size());
  rows.Set(0, values.data());
  std::vector<float> back(values.size());
  rows.CopyTo(0, back.data());
  BOOST_TEST(back == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
