#include "algorithms/guarantees/shift_test.h"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "algorithms/rows/seeded_random.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kDimension = 6;

// Normal rows; a share of them is moved along the first coordinate. In stratum 1 all rows lie
// elsewhere.
Matrix MakeRows(std::size_t count, double share, double shift, std::uint64_t seed,
                const std::vector<std::uint32_t>& strata = {}) {
  SeededRandom random(seed);
  Matrix rows{{}, kDimension};
  for (std::size_t i = 0; i < count; ++i) {
    const double moved = random.Uniform() < share ? shift : 0;
    const double place = strata.empty() ? 0 : 5.0 * strata[i];
    for (std::size_t j = 0; j < kDimension; ++j) {
      rows.values.push_back(
          static_cast<float>(random.Normal() + (j == 0 ? moved : 0) + (j == 1 ? place : 0)));
    }
  }
  return rows;
}

double Test(const Matrix& trusted, const Matrix& pool, std::uint64_t seed,
            const Strata& strata = {}, const Groups& groups = {}) {
  return TestShift(trusted.view(), pool.view(), strata, groups, seed, {}).p_value;
}

// Groups of rows, each with an offset of its own in all coordinates; a part of the pool's groups is
// moved along the first as well.
struct Grouped {
  Matrix trusted{{}, kDimension};
  Matrix pool{{}, kDimension};
  Groups groups;

  void Add(bool is_pool, std::uint32_t group, std::size_t num_rows, double spread, double moved,
           SeededRandom& random) {
    std::vector<double> offset;
    for (std::size_t j = 0; j < kDimension; ++j) offset.push_back(spread * random.Normal());
    offset[0] += moved;
    for (std::size_t i = 0; i < num_rows; ++i) {
      for (const double place : offset) {
        (is_pool ? pool : trusted).values.push_back(static_cast<float>(place + random.Normal()));
      }
      (is_pool ? groups.pool : groups.trusted).push_back(group);
    }
  }

  Grouped(std::uint32_t num_trusted, std::uint32_t num_pool, std::uint64_t seed, double spread = 2,
          double moved = 0, std::size_t rows_trusted = 10, std::size_t rows_pool = 10) {
    SeededRandom random(seed);
    for (std::uint32_t i = 0; i < num_trusted; ++i) {
      Add(false, i, rows_trusted, spread, 0, random);
    }
    for (std::uint32_t i = 0; i < num_pool; ++i) {
      Add(true, num_trusted + i, rows_pool, spread, i % 2 == 0 ? moved : 0, random);
    }
  }

  ShiftTestResult Test(std::uint64_t seed, int num_threads = 1) const {
    Execution execution;
    execution.num_threads = num_threads;
    return TestShift(trusted.view(), pool.view(), {}, groups, seed, execution);
  }
};

BOOST_AUTO_TEST_SUITE(shift_test)

BOOST_AUTO_TEST_CASE(nothing_shifted_is_called_a_shift_at_the_level_only) {
  int called = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    called += Test(MakeRows(60, 0, 0, seed), MakeRows(120, 0, 0, 1000 + seed), seed) <= 0.05;
  }
  // Of 200 at 5 %, more than 19 or fewer than 2 come once in a hundred times.
  BOOST_TEST((called >= 2 && called <= 19));
}

BOOST_AUTO_TEST_CASE(few_rows_far_out_are_found) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    found += Test(MakeRows(300, 0, 0, seed), MakeRows(600, 0.1, 4, 1000 + seed), seed) <= 0.05;
  }
  BOOST_TEST(found >= 19);
}

BOOST_AUTO_TEST_CASE(another_mix_of_strata_is_no_shift_within_them) {
  int without = 0;
  int within = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Strata strata;
    strata.count = 2;
    for (int i = 0; i < 100; ++i) strata.trusted.push_back(i < 50 ? 0 : 1);
    for (int i = 0; i < 200; ++i) strata.pool.push_back(i < 30 ? 0 : 1);
    const Matrix trusted = MakeRows(100, 0, 0, seed, strata.trusted);
    const Matrix pool = MakeRows(200, 0, 0, 1000 + seed, strata.pool);
    without += Test(trusted, pool, seed) <= 0.05;
    within += Test(trusted, pool, seed, strata) <= 0.05;
  }
  BOOST_TEST(without >= 38);
  BOOST_TEST(within <= 7);
}

BOOST_AUTO_TEST_CASE(rows_that_belong_together_are_called_a_shift_at_the_level_only) {
  int alone = 0;
  int together = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Grouped data(10, 12, seed);
    alone += Test(data.trusted, data.pool, seed) < 0.05;
    together += data.Test(seed).p_value < 0.05;
  }
  BOOST_TEST(alone >= 55);
  // Of 60 at 5 %, more than 7 come once in a hundred times.
  BOOST_TEST(together <= 7);
}

BOOST_AUTO_TEST_CASE(shifted_groups_are_found) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    found += Grouped(20, 30, seed, 0.5, 4).Test(seed).p_value < 0.05;
  }
  BOOST_TEST(found >= 19);
}

BOOST_AUTO_TEST_CASE(few_groups_say_what_p_value_they_can_reach) {
  // 20 ways to choose three of six.
  const ShiftTestResult few = Grouped(3, 3, 1, 0.1, 20).Test(1);
  BOOST_TEST(few.least_p_value.value() == 0.05);
  BOOST_TEST(few.p_value >= 0.05);
  BOOST_TEST(Grouped(2, 3, 1).Test(1).least_p_value.value() == 0.1);
  BOOST_TEST(Grouped(20, 20, 1).Test(1).least_p_value.value() == 1.0 / 400);
  const Matrix rows = MakeRows(50, 0, 0, 3);
  BOOST_TEST(!TestShift(rows.view(), rows.view(), {}, {}, 1, {}).least_p_value.has_value());
}

BOOST_AUTO_TEST_CASE(groups_of_one_row_are_as_good_as_none) {
  const Matrix trusted = MakeRows(60, 0, 0, 1);
  const Matrix pool = MakeRows(120, 0.1, 2, 2);
  Groups groups;
  for (std::uint32_t i = 0; i < 60; ++i) groups.trusted.push_back(i);
  for (std::uint32_t i = 0; i < 120; ++i) groups.pool.push_back(60 + i);
  BOOST_TEST(Test(trusted, pool, 7) == Test(trusted, pool, 7, {}, groups));
}

BOOST_AUTO_TEST_CASE(threads_change_nothing_and_the_seed_is_all_the_chance) {
  const Matrix trusted = MakeRows(100, 0, 0, 1);
  const Matrix pool = MakeRows(200, 0.05, 2, 2);
  Execution two;
  two.num_threads = 2;
  BOOST_TEST(Test(trusted, pool, 7) ==
             TestShift(trusted.view(), pool.view(), {}, {}, 7, two).p_value);
  const Grouped data(10, 12, 1);
  BOOST_TEST(data.Test(7).p_value == data.Test(7, 2).p_value);
}

BOOST_AUTO_TEST_CASE(edges) {
  const Matrix one = MakeRows(1, 0, 0, 1);
  BOOST_TEST(Test(one, one, 1) == 1);
  // Rows that are all equal can't be told apart.
  Matrix equal{std::vector<float>(20 * kDimension, 1.0F), kDimension};
  BOOST_TEST(Test(equal, equal, 1) > 0.05);
  // Equal rows on both sides: ties favor neither.
  const Matrix rows = MakeRows(50, 0, 0, 3);
  BOOST_TEST(Test(rows, rows, 1) > 0.05);
  // More dimensions than rows.
  SeededRandom random(4);
  Matrix wide{std::vector<float>(12 * 40), 40};
  for (float& value : wide.values) value = static_cast<float>(random.Normal());
  BOOST_TEST(TestShift(wide.view(), wide.view(), {}, {}, 1, {}).p_value > 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
