#include "algorithms/rows/seeded_random.h"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace spuna::algorithms {
namespace {

BOOST_AUTO_TEST_SUITE(seeded_random)

BOOST_AUTO_TEST_CASE(is_the_same_on_every_machine) {
  // The 10,000th value of the engine is fixed by the C++ standard.
  std::mt19937_64 engine;
  engine.discard(9999);
  BOOST_TEST(engine() == 9981545732273789042ULL);
  SeededRandom random(5489);  // the engine's default seed
  BOOST_TEST(random.Below(1'000'000) == 14514284786278117030ULL % 1'000'000);
}

BOOST_AUTO_TEST_CASE(normal_numbers_have_mean_0_and_deviation_1) {
  SeededRandom random(1);
  double sum = 0;
  double sum_of_squares = 0;
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i) {
    const double value = random.Normal();
    sum += value;
    sum_of_squares += value * value;
  }
  BOOST_TEST(std::abs(sum / kCount) < 0.02);
  BOOST_TEST(std::abs(sum_of_squares / kCount - 1) < 0.03);
}

BOOST_AUTO_TEST_CASE(below_reaches_every_value_about_equally) {
  SeededRandom random(2);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) ++counts[random.Below(7)];
  for (const int count : counts) BOOST_TEST(std::abs(count - 10'000) < 500);
  for (int i = 0; i < 10; ++i) BOOST_TEST(random.Below(1) == 0U);
}

BOOST_AUTO_TEST_CASE(shuffling_keeps_the_values_and_moves_them) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  const std::vector<int> before = values;
  SeededRandom(3).Shuffle(values);
  BOOST_TEST(values != before);
  std::sort(values.begin(), values.end());
  BOOST_TEST(values == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
