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
            const Strata& strata = {}) {
  return TestShift(trusted.view(), pool.view(), strata, seed, {});
}

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

BOOST_AUTO_TEST_CASE(threads_change_nothing_and_the_seed_is_all_the_chance) {
  const Matrix trusted = MakeRows(100, 0, 0, 1);
  const Matrix pool = MakeRows(200, 0.05, 2, 2);
  Execution two;
  two.num_threads = 2;
  BOOST_TEST(Test(trusted, pool, 7) == TestShift(trusted.view(), pool.view(), {}, 7, two));
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
  BOOST_TEST(TestShift(wide.view(), wide.view(), {}, 1, {}) > 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
