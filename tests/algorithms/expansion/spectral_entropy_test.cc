#include "algorithms/expansion/spectral_entropy.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "algorithms/rows/ranking.h"
#include "tests/support/random_rows.h"
#include "tests/support/reference.h"

namespace spuna::algorithms {
namespace {

using test::Matrix;

// Adds the rows in batches of the given sizes and compares after each.
void CheckGrowing(const Matrix& matrix, const std::vector<std::size_t>& batches) {
  SpectralEntropy entropy(matrix.dimension);
  const RowNumbers all = AllRows(matrix.num_rows);
  test::Rows added;
  const test::Rows rows = matrix.rows();
  std::size_t begin = 0;
  for (const std::size_t size : batches) {
    entropy.Add(matrix.view(), std::span(all).subspan(begin, size));
    added.insert(added.end(), rows.begin() + static_cast<std::ptrdiff_t>(begin),
                 rows.begin() + static_cast<std::ptrdiff_t>(begin + size));
    begin += size;
    BOOST_TEST(std::abs(entropy.Value() - test::SpectralEntropyReference(added)) < 1e-9);
  }
}

BOOST_AUTO_TEST_SUITE(spectral_entropy)

BOOST_AUTO_TEST_CASE(matches_the_reference_below_at_and_above_the_dimension) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const Matrix rows = test::RandomRows(700, 16, seed);
      CheckGrowing(rows, {2, 5, 8, 1, 1, 30, 600});
      CheckGrowing(rows, {16, 16});
      CheckGrowing(rows, {15, 2});
      CheckGrowing(rows, {500});
    }
  }
}

BOOST_AUTO_TEST_CASE(matches_the_reference_on_hard_rows_and_far_from_the_origin) {
  CheckGrowing(test::HardRows(300, 10, 1), {4, 20, 200});
  CheckGrowing(test::RandomRows(100, 6, 2, 1e4), {3, 3, 50});
}

BOOST_AUTO_TEST_CASE(is_zero_without_spread) {
  Matrix same{40, 8, std::vector<float>(320, 0.1F)};
  SpectralEntropy entropy(8);
  const RowNumbers all = AllRows(40);
  for (const auto& [begin, count] : {std::pair{0U, 1U}, std::pair{1U, 3U}, std::pair{4U, 36U}}) {
    entropy.Add(same.view(), std::span(all).subspan(begin, count));
    BOOST_TEST(entropy.Value() == 0);
  }
}

BOOST_AUTO_TEST_CASE(is_the_logarithm_of_the_number_of_equal_directions) {
  // ±1 along each of four axes: four equal eigenvalues.
  Matrix axes{8, 4, std::vector<float>(32, 0)};
  for (std::size_t i = 0; i < 8; ++i) axes.row(i)[i / 2] = i % 2 == 0 ? 1 : -1;
  SpectralEntropy entropy(4);
  entropy.Add(axes.view(), AllRows(8));
  BOOST_TEST(std::abs(entropy.Value() - std::log(4.0)) < 1e-12);
}

BOOST_AUTO_TEST_CASE(zero_and_negative_eigenvalues_contribute_nothing) {
  const double eigenvalues[] = {2, 2, 0, -1e-17};
  BOOST_TEST(std::abs(EntropyOfSpectrum(eigenvalues) - std::log(2.0)) < 1e-12);
  BOOST_TEST(EntropyOfSpectrum({}) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
