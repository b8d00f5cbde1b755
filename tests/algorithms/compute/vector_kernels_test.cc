#include "algorithms/compute/vector_kernels.h"

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "algorithms/rows/seeded_random.h"
#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

using test::Matrix;
using test::RandomRows;

// Whole registers, their remainders, and both.
const std::vector<std::size_t> kSizes{1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 771};

struct CandidateList {
  explicit CandidateList(std::size_t capacity)
      : lower(capacity), upper_bits(capacity), row(capacity) {}

  CandidateArrays arrays() { return {lower.data(), upper_bits.data(), row.data()}; }
  void Shrink(std::size_t length) {
    lower.resize(length);
    upper_bits.resize(length);
    row.resize(length);
  }
  bool operator==(const CandidateList&) const = default;

  std::vector<float> lower;
  std::vector<std::uint32_t> upper_bits;
  std::vector<std::uint32_t> row;
};

template <typename Test>
void WithEachTable(Test test) {
  for (const VectorKernels* kernels : AvailableKernels()) {
    for (const std::size_t size : kSizes) {
      BOOST_TEST_CONTEXT(kernels->instruction_set << ", " << size << " values") {
        test(*kernels, size);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE(vector_kernels)

BOOST_AUTO_TEST_CASE(the_portable_table_is_there_and_the_last_is_used) {
  BOOST_TEST(AvailableKernels().front()->instruction_set == std::string("portable"));
  BOOST_TEST(&Kernels() == AvailableKernels().back());
}

BOOST_AUTO_TEST_CASE(sums_of_squares_have_the_same_bits_in_all_tables) {
  const VectorKernels& portable = *AvailableKernels().front();
  WithEachTable([&](const VectorKernels& kernels, std::size_t size) {
    // Five rows: four at once and one alone.
    const Matrix rows = RandomRows(6, size, 1, 3.0);
    std::vector<const float*> bank;
    for (std::size_t i = 1; i < 6; ++i) bank.push_back(rows.view().row(i));
    std::vector<double> distances(5);
    std::vector<double> expected(5);
    kernels.squared_distances(rows.view().row(0), bank.data(), 5, size, distances.data());
    portable.squared_distances(rows.view().row(0), bank.data(), 5, size, expected.data());
    BOOST_TEST(distances == expected);
    for (std::size_t i = 0; i < 5; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < size; ++j) {
        sum += std::pow(static_cast<double>(rows.view().row(0)[j]) - bank[i][j], 2);
      }
      BOOST_TEST(distances[i] == sum, boost::test_tools::tolerance(1e-13));
    }
    BOOST_TEST(kernels.squared_norm(bank[0], size) == portable.squared_norm(bank[0], size));
  });
}

BOOST_AUTO_TEST_CASE(rows_are_centered_and_standardized) {
  WithEachTable([&](const VectorKernels& kernels, std::size_t size) {
    Matrix rows = RandomRows(2, size, 2);
    rows.row(0)[0] = 1e30F;
    const float* const row = rows.view().row(0);
    const float* const center = rows.view().row(1);
    std::vector<float> out(size);
    kernels.center(row, center, 0.5F, size, out.data());
    for (std::size_t j = 0; j < size; ++j) BOOST_TEST(out[j] == row[j] * 0.5F - center[j]);

    std::vector<double> mean(size, 0.25);
    std::vector<double> inverse(size, 1.5);
    inverse.back() = size > 1 ? 0 : 1.5;
    kernels.standardize(row, mean.data(), inverse.data(), 100, size, out.data());
    for (std::size_t j = 0; j < size; ++j) {
      const double expected = std::clamp((row[j] - 0.25) * inverse[j], -100.0, 100.0);
      BOOST_TEST(out[j] == static_cast<float>(expected));
    }
  });
}

BOOST_AUTO_TEST_CASE(near_rows_are_appended_and_kept_in_order) {
  constexpr ProductError kError{1e-3F, 1e-6F};
  constexpr float kQueryNorm = 1.5F;
  WithEachTable([&](const VectorKernels& kernels, std::size_t size) {
    const Matrix values = RandomRows(2, size, 3);
    std::vector<float> norms(values.view().row(1), values.view().row(1) + size);
    for (float& norm : norms) norm = std::abs(norm);
    const float* const products = values.view().row(0);
    for (const float limit : {-100.0F, 1.0F, 2.5F, INFINITY}) {
      CandidateList expected(0);
      for (std::size_t j = 0; j < size; ++j) {
        const float sum = norms[j] + kQueryNorm;
        const float slack = kError.relative * sum + kError.absolute;
        const float lower = sum + products[j] - slack;
        if (lower > limit) continue;
        expected.lower.push_back(lower);
        expected.upper_bits.push_back(
            std::bit_cast<std::uint32_t>(std::max(sum + products[j] + slack, 0.0F)));
        expected.row.push_back(static_cast<std::uint32_t>(70 + j));
      }
      CandidateList list(size + 16);
      const std::size_t length = kernels.append_near(products, norms.data(), size, 70, kQueryNorm,
                                                     kError, limit, list.arrays(), 0);
      list.Shrink(length);
      BOOST_TEST((list == expected));

      constexpr float kLower = 0.8F;
      CandidateList kept(0);
      for (std::size_t i = 0; i < length; ++i) {
        if (list.lower[i] > kLower) continue;
        kept.lower.push_back(list.lower[i]);
        kept.upper_bits.push_back(list.upper_bits[i]);
        kept.row.push_back(list.row[i]);
      }
      list.Shrink(kernels.keep_near(list.arrays(), length, kLower));
      BOOST_TEST((list == kept));
    }
  });
}

BOOST_AUTO_TEST_CASE(a_selection_has_the_number_asked_for) {
  WithEachTable([&](const VectorKernels& kernels, std::size_t size) {
    SeededRandom random(size);
    // Spread out, and with many ties.
    for (const std::uint64_t range : {std::uint64_t{1} << 31, std::uint64_t{5}}) {
      std::vector<std::uint32_t> values(size);
      for (auto& value : values) value = static_cast<std::uint32_t>(random.Below(range));
      std::vector<std::uint32_t> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      for (const std::size_t k : {std::size_t{1}, (size + 1) / 2, size}) {
        const std::uint32_t exact = kernels.select(values.data(), size, k, k);
        BOOST_TEST(exact >= sorted[k - 1]);
        BOOST_TEST((k == size || exact < sorted[k] || sorted[k] == sorted[k - 1]));
        const std::uint32_t loose = kernels.select(values.data(), size, k, k + 3);
        BOOST_TEST(loose >= sorted[k - 1]);
        BOOST_TEST((k + 3 >= size || loose < sorted[k + 3] || sorted[k + 3] == sorted[k - 1]));
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(rectified_activations_are_added) {
  WithEachTable([&](const VectorKernels& kernels, std::size_t size) {
    const Matrix activations = RandomRows(1, size, 4);
    std::vector<double> sums(size, 2.0);
    kernels.add_rectified(activations.view().row(0), -0.3F, size, sums.data());
    for (std::size_t i = 0; i < size; ++i) {
      const double activation = std::max(activations.view().row(0)[i], 0.0F);
      BOOST_TEST(sums[i] == 2.0 + activation * static_cast<double>(-0.3F));
    }
  });
}

BOOST_AUTO_TEST_CASE(norms_in_spreads_are_alike_on_every_table) {
  WithEachTable([&](const VectorKernels& kernels, std::size_t size) {
    const Matrix rows = RandomRows(3, size, 4);
    const float* const row = rows.view().row(0);
    float largest = -1;
    const double norm = kernels.squared_norm_in_spreads(row, rows.view().row(1), rows.view().row(2),
                                                        size, &largest);
    double expected = 0;
    float farthest = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const float z = (row[i] - rows.view().row(1)[i]) * rows.view().row(2)[i];
      expected += static_cast<double>(z) * z;
      farthest = std::max(farthest, std::abs(z));
    }
    BOOST_TEST(std::abs(norm - expected) <= 1e-5 * expected);
    BOOST_TEST(largest == farthest);
    float again = 0;
    BOOST_TEST(norm == AvailableKernels().front()->squared_norm_in_spreads(
                           row, rows.view().row(1), rows.view().row(2), size, &again));
  });
}

BOOST_AUTO_TEST_CASE(products_and_sums_of_rows_in_spreads_are_alike_on_every_table) {
  WithEachTable([&](const VectorKernels& kernels, std::size_t size) {
    const Matrix rows = RandomRows(7, size, 5);
    const std::vector<const float*> some{rows.view().row(0), rows.view().row(1),
                                         rows.view().row(2)};
    // Some values are beyond the largest.
    const RowSpreads spreads{rows.view().row(3), rows.view().row(4), 0.5F, size};
    const float* const weights = rows.view().row(5);
    const std::vector<float> factors{0.3F, -2.0F, 1.5F};
    auto value = [&](std::size_t row, std::size_t j) {
      return std::clamp((some[row][j] - spreads.center[j]) * spreads.inverse[j], -0.5F, 0.5F);
    };
    std::vector<float> products(3);
    std::vector<float> sums(rows.view().row(6), rows.view().row(6) + size);
    kernels.products_in_spreads(some.data(), 3, spreads, weights, products.data());
    kernels.add_in_spreads(some.data(), 3, spreads, factors.data(), sums.data());
    for (std::size_t i = 0; i < 3; ++i) {
      double expected = 0;
      double scale = 0;
      for (std::size_t j = 0; j < size; ++j) {
        const double term = static_cast<double>(value(i, j)) * weights[j];
        expected += term;
        scale += std::abs(term);
      }
      BOOST_TEST(std::abs(products[i] - expected) <= 1e-6 * scale);
    }
    for (std::size_t j = 0; j < size; ++j) {
      double expected = rows.view().row(6)[j];
      for (std::size_t i = 0; i < 3; ++i) expected += static_cast<double>(value(i, j)) * factors[i];
      BOOST_TEST(std::abs(sums[j] - expected) <= 1e-6 * (1 + std::abs(expected)));
    }
    const VectorKernels& portable = *AvailableKernels().front();
    std::vector<float> again(3);
    std::vector<float> sums_again(rows.view().row(6), rows.view().row(6) + size);
    portable.products_in_spreads(some.data(), 3, spreads, weights, again.data());
    portable.add_in_spreads(some.data(), 3, spreads, factors.data(), sums_again.data());
    BOOST_TEST(products == again, boost::test_tools::per_element());
    BOOST_TEST(sums == sums_again, boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
