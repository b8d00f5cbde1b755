#include "algorithms/space/trusted_distance.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

using test::RandomRows;

constexpr double kLevel = 0.001;

BOOST_AUTO_TEST_SUITE(trusted_distance)

BOOST_AUTO_TEST_CASE(clean_rows_are_called_far_at_the_level_and_garbage_always) {
  double called = 0;
  constexpr int kDraws = 40;
  for (int draw = 0; draw < kDraws; ++draw) {
    const auto seed = static_cast<std::uint64_t>(3 * draw);
    const std::size_t dimension = draw % 2 == 0 ? 16 : 60;
    const auto distance =
        FitTrustedDistance(RandomRows(600, dimension, seed, 1).view(), {}, kLevel, seed, {});
    BOOST_REQUIRE(distance.has_value());
    distance->Validate();
    const float cutoff = distance->CutoffAt(kLevel);
    auto count_far = [&](const test::Matrix& rows) {
      return std::ranges::count_if(distance->Measure(rows.view(), {}),
                                   [&](float far) { return far > cutoff; });
    };
    called += static_cast<double>(count_far(RandomRows(500, dimension, seed + 1, 1))) / 500;
    BOOST_TEST(count_far(RandomRows(100, dimension, seed + 2, 1, 20)) == 100);
    BOOST_TEST(count_far(RandomRows(100, dimension, seed + 2, -30)) == 100);
  }
  const double level = ReachableLevel(kLevel, 400);
  BOOST_TEST(called / kDraws < level + 2 * std::sqrt(level / (500.0 * kDraws)));
}

BOOST_AUTO_TEST_CASE(p_values_are_valid) {
  // Of clean rows at most a share t has p-values of at most t, on average over draws.
  std::vector<double> shares(3);
  const double levels[] = {0.01, 0.05, 0.2};
  constexpr int kDraws = 40;
  for (int draw = 0; draw < kDraws; ++draw) {
    const auto seed = static_cast<std::uint64_t>(2 * draw);
    const auto distance = FitTrustedDistance(RandomRows(300, 8, seed).view(), {}, 0.01, seed, {});
    for (const float far : distance->Measure(RandomRows(400, 8, seed + 1).view(), {})) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (distance->PValue(far) <= levels[k]) shares[k] += 1.0 / (400 * kDraws);
      }
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    BOOST_TEST(shares[k] < 1.15 * levels[k] + 0.003);
    BOOST_TEST(shares[k] > 0.3 * levels[k]);
  }
}

BOOST_AUTO_TEST_CASE(a_row_in_no_direction_of_the_trusted_rows_is_far) {
  // All trusted rows vary in 30 of 100 columns; the others hold little noise.
  auto make = [](std::uint64_t seed) {
    test::Matrix rows = RandomRows(600, 100, seed);
    for (std::size_t i = 0; i < rows.num_rows; ++i) {
      for (std::size_t j = 30; j < 100; ++j) rows.row(i)[j] *= 0.01F;
    }
    return rows;
  };
  const auto distance = FitTrustedDistance(make(1).view(), {}, kLevel, 0, {});
  BOOST_TEST(distance->num_coordinates() == distance->num_directions() + 1);
  test::Matrix odd = make(2);
  for (std::size_t i = 0; i < odd.num_rows; ++i) odd.row(i)[70] = 1;
  const float cutoff = distance->CutoffAt(kLevel);
  const auto measured = distance->Measure(odd.view(), {});
  BOOST_TEST(std::ranges::all_of(measured, [&](float far) { return far > cutoff; }));
}

BOOST_AUTO_TEST_CASE(a_row_is_measured_alike_beside_any_others) {
  const auto distance = FitTrustedDistance(RandomRows(400, 50, 1).view(), {}, kLevel, 0, {});
  const test::Matrix rows = RandomRows(1000, 50, 2);
  Execution threads;
  threads.num_threads = 3;
  const std::vector<float> together = distance->Measure(rows.view(), threads);
  const float cutoff = distance->CutoffAt(kLevel);
  const std::vector<float> bounded = distance->Measure(rows.view(), {}, cutoff);
  for (std::size_t i = 0; i < 1000; i += 7) {
    BOOST_TEST(distance->Measure({rows.view().row(i), 1, 50}, {})[0] == together[i]);
    BOOST_TEST((bounded[i] > cutoff) == (together[i] > cutoff));
    BOOST_TEST(bounded[i] >= together[i]);
  }
}

BOOST_AUTO_TEST_CASE(few_trusted_rows_have_none_or_a_wide_one) {
  BOOST_TEST(!FitTrustedDistance(RandomRows(11, 4, 1).view(), {}, kLevel, 0, {}).has_value());
  const auto few = FitTrustedDistance(RandomRows(30, 4, 1).view(), {}, kLevel, 0, {});
  BOOST_REQUIRE(few.has_value());
  BOOST_TEST(few->CutoffAt(kLevel) == 2 * few->nearest.back());
  const test::Matrix equal{50, 3, std::vector<float>(150, 2)};
  BOOST_TEST(!FitTrustedDistance(equal.view(), {}, kLevel, 0, {}).has_value());
}

BOOST_AUTO_TEST_CASE(rows_of_a_group_are_not_measured_to_each_other) {
  // Twenty rows of each group lie close together.
  auto make = [](std::uint64_t seed, std::vector<std::uint32_t>& groups) {
    const test::Matrix centers = RandomRows(150, 6, seed);
    test::Matrix rows = RandomRows(3000, 6, seed + 1, 0, 0.01);
    groups.clear();
    for (std::size_t i = 0; i < 3000; ++i) {
      for (std::size_t j = 0; j < 6; ++j) rows.row(i)[j] += centers.view().row(i / 20)[j];
      groups.push_back(static_cast<std::uint32_t>(i / 20));
    }
    return rows;
  };
  std::vector<std::uint32_t> groups;
  std::vector<std::uint32_t> unused;
  const test::Matrix trusted = make(1, groups);
  const test::Matrix fresh = make(3, unused);
  auto count_far = [&](const TrustedDistance& distance) {
    const float cutoff = distance.CutoffAt(kLevel);
    return std::ranges::count_if(distance.Measure(fresh.view(), {}),
                                 [&](float far) { return far > cutoff; });
  };
  const auto alone = FitTrustedDistance(trusted.view(), {}, kLevel, 0, {});
  const auto grouped = FitTrustedDistance(trusted.view(), groups, kLevel, 0, {});
  BOOST_TEST(count_far(*alone) > 2000);
  BOOST_TEST(count_far(*grouped) < 200);
  BOOST_TEST(grouped->num_references() > grouped->nearest.size());
  grouped->Validate();
}

BOOST_AUTO_TEST_CASE(values_beyond_all_numbers_are_far_and_disturb_no_other) {
  const auto distance = FitTrustedDistance(RandomRows(400, 20, 1).view(), {}, kLevel, 0, {});
  test::Matrix rows = RandomRows(50, 20, 2);
  const std::vector<float> before = distance->Measure(rows.view(), {});
  std::fill_n(rows.row(10), 20, 3e38F);
  const std::vector<float> after = distance->Measure(rows.view(), {});
  BOOST_TEST(std::isfinite(after[10]));
  BOOST_TEST(after[10] > distance->CutoffAt(kLevel));
  for (std::size_t i = 0; i < 50; ++i) {
    if (i != 10) BOOST_TEST(after[i] == before[i]);
  }
}

BOOST_AUTO_TEST_CASE(parts_that_do_not_fit_are_refused) {
  auto distance = *FitTrustedDistance(RandomRows(100, 4, 1).view(), {}, kLevel, 0, {});
  auto broken = distance;
  broken.references.pop_back();
  BOOST_CHECK_THROW(broken.Validate(), std::invalid_argument);
  broken = distance;
  std::swap(broken.nearest.front(), broken.nearest.back());
  BOOST_CHECK_THROW(broken.Validate(), std::invalid_argument);
  broken = distance;
  broken.directions[0] = NAN;
  BOOST_CHECK_THROW(broken.Validate(), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
