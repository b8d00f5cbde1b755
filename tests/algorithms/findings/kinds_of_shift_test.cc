#include "algorithms/findings/kinds_of_shift.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <stdexcept>
#include <string>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

constexpr std::size_t kDimension = 12;

// Rows of several kinds, kind k far out in dimension k; `sizes` of each, one kind after the other.
test::Matrix ShiftedRows(const std::vector<std::size_t>& sizes, std::uint64_t seed,
                         float shift = 12) {
  const std::size_t num_rows = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  test::Matrix rows = test::RandomRows(num_rows, kDimension, seed);
  std::size_t row = 0;
  for (std::size_t kind = 0; kind < sizes.size(); ++kind) {
    for (std::size_t i = 0; i < sizes[kind]; ++i) rows.row(row++)[kind] += shift;
  }
  return rows;
}

struct Trusted {
  test::Matrix rows = test::RandomRows(400, kDimension, 1);
  Whitening whitening = FitWhitening(rows.view());

  KindsOfShift Find(const RowSet& shifted, std::uint64_t seed = 1, int num_threads = 1) const {
    Execution execution;
    execution.num_threads = num_threads;
    return FindKindsOfShift(rows.view(), whitening, shifted, seed, execution);
  }
};

BOOST_FIXTURE_TEST_SUITE(kinds_of_shift, Trusted)

BOOST_AUTO_TEST_CASE(kinds_are_found_and_numbered_by_size) {
  const std::vector<std::vector<std::size_t>> cases = {
      {300}, {100, 300}, {90, 300, 150}, {60, 90, 120, 150, 180}};
  for (const std::vector<std::size_t>& sizes : cases) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      BOOST_TEST_CONTEXT(sizes.size() << " kinds, seed " << seed) {
        const test::Matrix shifted = ShiftedRows(sizes, 100 + seed);
        const KindsOfShift kinds = Find(shifted.view(), seed);
        std::vector<std::size_t> expected = sizes;
        std::ranges::sort(expected, std::greater<>());
        BOOST_TEST(kinds.sizes == expected, boost::test_tools::per_element());
        BOOST_TEST((kinds.silhouette > kSeveralKindsSilhouette) == (sizes.size() > 1));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_severe_kind_does_not_hide_the_others) {
  test::Matrix shifted = ShiftedRows({200, 150, 100}, 7, 10);
  for (std::size_t i = 0; i < 200; ++i) shifted.row(i)[0] += 20;
  const std::vector<std::size_t> expected = {200, 150, 100};
  BOOST_TEST(Find(shifted.view()).sizes == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(typical_rows_are_of_their_kind) {
  const test::Matrix shifted = ShiftedRows({100, 200}, 8);
  const KindsOfShift kinds = Find(shifted.view());
  BOOST_TEST_REQUIRE(kinds.num_kinds() == 2);
  for (std::size_t kind = 0; kind < 2; ++kind) {
    BOOST_TEST(kinds.typical_rows[kind].size() == 3);
    for (const std::uint32_t row : kinds.typical_rows[kind]) BOOST_TEST((row < 100) == (kind == 1));
  }
}

BOOST_AUTO_TEST_CASE(new_rows_are_assigned) {
  const KindsOfShift kinds = Find(ShiftedRows({100, 200}, 9).view());
  const test::Matrix fresh = ShiftedRows({20, 30}, 10);
  const std::vector<std::uint32_t> assigned = kinds.Assign(fresh.view(), {});
  for (std::size_t i = 0; i < 50; ++i) BOOST_TEST(assigned[i] == (i < 20 ? 1 : 0));
}

BOOST_AUTO_TEST_CASE(the_shifted_rows_are_assigned_as_they_were_counted) {
  const test::Matrix shifted = ShiftedRows({1500, 1200}, 11);
  const KindsOfShift kinds = Find(shifted.view());
  std::vector<std::size_t> sizes(kinds.num_kinds());
  for (const std::uint32_t kind : kinds.Assign(shifted.view(), {})) ++sizes[kind];
  BOOST_TEST(sizes == kinds.sizes, boost::test_tools::per_element());
  BOOST_TEST(sizes.size() == 2);
}

BOOST_AUTO_TEST_CASE(an_outlier_is_no_kind) {
  test::Matrix shifted = ShiftedRows({200}, 12);
  shifted.row(17)[5] = 1e6F;
  BOOST_TEST(Find(shifted.view()).num_kinds() == 1);
}

BOOST_AUTO_TEST_CASE(few_and_absurd_rows) {
  for (const std::size_t num_rows : {1, 2, 3, 4, 11, 19, 20, 21, 40}) {
    BOOST_TEST_CONTEXT(num_rows << " rows") {
      const std::vector<test::Matrix> cases = {
          test::RandomRows(num_rows, kDimension, 13, 3),
          test::HardRows(num_rows, kDimension, 14),
          {num_rows, kDimension, std::vector<float>(num_rows * kDimension, 2.0F)}};
      for (const test::Matrix& shifted : cases) {
        const KindsOfShift kinds = Find(shifted.view());
        BOOST_TEST(kinds.num_kinds() >= 1);
        if (num_rows < 20) BOOST_TEST(kinds.num_kinds() == 1);
        BOOST_TEST(std::accumulate(kinds.sizes.begin(), kinds.sizes.end(), std::size_t{0}) ==
                   num_rows);
        BOOST_TEST(kinds.typical_rows.at(0).size() == std::min<std::size_t>(kinds.sizes[0], 3));
      }
      BOOST_TEST(Find(cases[2].view()).num_kinds() == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(without_shifted_rows_there_are_no_kinds) {
  const KindsOfShift kinds = Find(RowSet(kDimension));
  BOOST_TEST(kinds.num_kinds() == 0);
  BOOST_CHECK_EXCEPTION(kinds.Assign(rows.view(), {}), std::invalid_argument, [](auto& error) {
    return std::string(error.what()) == "there are no kinds of shift to assign 400 rows to";
  });
}

BOOST_AUTO_TEST_CASE(constant_columns_and_fewer_rows_than_dimensions) {
  const test::Matrix few = test::HardRows(5, 30, 15);
  const test::Matrix shifted = test::HardRows(25, 30, 16);
  const KindsOfShift kinds =
      FindKindsOfShift(few.view(), FitWhitening(few.view()), shifted.view(), 1, {});
  BOOST_TEST(kinds.num_kinds() >= 1);
  BOOST_TEST(kinds.Assign(few.view(), {}).size() == 5);
}

BOOST_AUTO_TEST_CASE(threads_do_not_matter) {
  const test::Matrix shifted = ShiftedRows({400, 300, 200}, 17, 6);
  const KindsOfShift one = Find(shifted.view(), 3, 1);
  const KindsOfShift two = Find(shifted.view(), 3, 2);
  BOOST_TEST((one.centroids.values == two.centroids.values));
  BOOST_TEST((one.typical_rows == two.typical_rows));
  BOOST_TEST(one.silhouette == two.silhouette);
}

BOOST_AUTO_TEST_CASE(another_dimension_is_refused) {
  const test::Matrix other = test::RandomRows(30, 5, 1);
  BOOST_CHECK_EXCEPTION(Find(other.view()), std::invalid_argument, [](auto& error) {
    return std::string(error.what()) ==
           "expected trusted and shifted rows of dimension 12 but found 12 and 5";
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
