#include "algorithms/space/whitening.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

// Rows whose dimension j follows dimension j + 1, at twice its width.
test::Matrix CorrelatedRows(std::size_t num_rows, std::size_t dimension, std::uint64_t seed) {
  test::Matrix rows = test::RandomRows(num_rows, dimension, seed);
  for (std::size_t i = 0; i < num_rows; ++i) {
    float* const row = rows.values.data() + i * dimension;
    for (std::size_t j = dimension - 1; j-- > 0;) row[j] += 2 * row[j + 1];
  }
  return rows;
}

double MeanSquare(const Matrix& rows, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t j = 0; j < rows.dimension; ++j) {
      sum += std::pow(rows.view().row(i)[j], 2);
    }
  }
  return sum / static_cast<double>((end - begin) * rows.dimension);
}

BOOST_AUTO_TEST_SUITE(whitening)

BOOST_AUTO_TEST_CASE(correlated_rows_become_uncorrelated_and_of_equal_spread) {
  const test::Matrix rows = CorrelatedRows(5000, 3, 1);
  const Whitening whitening = FitWhitening(rows.view());
  BOOST_TEST(whitening.shrinkage < 0.01);
  const Matrix whitened = whitening.Apply(rows.view(), {});
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = a; b < 3; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < whitened.num_rows(); ++i) {
        sum += static_cast<double>(whitened.view().row(i)[a]) * whitened.view().row(i)[b];
      }
      sum /= 5000;
      BOOST_TEST_CONTEXT(a << " and " << b) {
        if (a == b) BOOST_TEST((sum > 0.9 && sum < 1.1));
        if (a != b) BOOST_TEST(std::abs(sum) < 0.01);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(fewer_rows_than_dimensions_are_shrunk_and_stay_finite) {
  const test::Matrix rows = test::RandomRows(20, 200, 2);
  const Whitening whitening = FitWhitening(rows.view());
  BOOST_TEST(whitening.shrinkage > 0.5);
  const Matrix whitened = whitening.Apply(test::RandomRows(50, 200, 3).view(), {});
  BOOST_TEST(std::ranges::all_of(whitened.values, [](float v) { return std::isfinite(v); }));
  BOOST_TEST(MeanSquare(whitened, 0, 50) < 3);
}

BOOST_AUTO_TEST_CASE(a_few_huge_rows_do_not_decide) {
  test::Matrix rows = test::RandomRows(400, 8, 4);
  for (std::size_t j = 0; j < 8; ++j) {
    rows.values[j] *= 100;
    rows.values[8 + j] *= 1e18F;
  }
  const Matrix whitened = FitWhitening(rows.view()).Apply(rows.view(), {});
  const double rest = MeanSquare(whitened, 2, 400);
  BOOST_TEST((rest > 0.7 && rest < 1.3));
  BOOST_TEST(MeanSquare(whitened, 0, 2) < 9.01);
}

BOOST_AUTO_TEST_CASE(rows_without_any_spread_are_left_as_they_are) {
  const test::Matrix rows{10, 3, std::vector<float>(30, 2.5F)};
  const Whitening whitening = FitWhitening(rows.view());
  const std::vector<float> other = {3.5F, 2.5F, 1.5F};
  const Matrix whitened = whitening.Apply(EmbeddingsView{other.data(), 1, 3}, {});
  BOOST_TEST(whitened.values == (std::vector<float>{1, 0, -1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(threads_do_not_matter) {
  const test::Matrix rows = test::HardRows(1500, 12, 5);
  const Whitening whitening = FitWhitening(rows.view());
  Execution two;
  two.num_threads = 2;
  BOOST_TEST((whitening.Apply(rows.view(), {}).values == whitening.Apply(rows.view(), two).values));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
