#include "algorithms/findings/normalization.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

// Columns with centers and spreads of their own, as embeddings have.
test::Matrix Rows(std::size_t num_rows, std::size_t dimension, std::uint64_t seed) {
  test::Matrix rows = test::RandomRows(num_rows, dimension, seed);
  const test::Matrix columns = test::RandomRows(2, dimension, 99);
  for (std::size_t i = 0; i < num_rows; ++i) {
    for (std::size_t j = 0; j < dimension; ++j) {
      const float spread = std::exp(columns.values[j]);
      rows.row(i)[j] = spread * (rows.row(i)[j] + 2 * columns.values[dimension + j]);
    }
  }
  return rows;
}

test::Matrix Carried(test::Matrix rows, float scale, float offset) {
  for (float& value : rows.values) value = scale * value + offset;
  return rows;
}

test::Matrix OfLengthOne(test::Matrix rows) {
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    double squared = 0;
    for (std::size_t j = 0; j < rows.dimension; ++j) squared += std::pow(rows.row(i)[j], 2);
    const auto length = static_cast<float>(std::sqrt(squared));
    for (std::size_t j = 0; j < rows.dimension; ++j) rows.row(i)[j] /= length;
  }
  return rows;
}

BOOST_AUTO_TEST_SUITE(normalization)

BOOST_AUTO_TEST_CASE(one_scale_or_offset_everywhere_is_found) {
  for (const std::size_t dimension : {64, 300}) {
    const test::Matrix trusted = Rows(500, dimension, 1);
    const test::Matrix pool = Rows(2000, dimension, 2);
    struct Case {
      float scale;
      float offset;
    };
    for (const auto& [scale, offset] :
         {Case{255, 0}, Case{1 / 255.0F, 0}, Case{0.5F, 0}, Case{1, 3}, Case{2, -1}}) {
      BOOST_TEST_CONTEXT(scale << " " << offset << " of dimension " << dimension) {
        const auto gap = FindNormalizationGap(trusted.view(), Carried(pool, scale, offset).view());
        BOOST_TEST_REQUIRE(gap.has_value());
        BOOST_TEST(std::abs(gap->scale / scale - 1) < 0.1);
        BOOST_TEST(std::abs(gap->offset - offset) < 0.3 * scale);
        BOOST_TEST(!gap->unit_pool);
      }
    }
    BOOST_TEST(!FindNormalizationGap(trusted.view(), pool.view()).has_value());
  }
}

BOOST_AUTO_TEST_CASE(rows_of_one_length_are_found) {
  for (const std::size_t dimension : {2, 16, 300}) {
    const test::Matrix trusted = Rows(500, dimension, 1);
    const test::Matrix pool = Rows(2000, dimension, 2);
    const auto gap = FindNormalizationGap(trusted.view(), OfLengthOne(pool).view());
    BOOST_TEST_REQUIRE(gap.has_value());
    BOOST_TEST(gap->unit_pool);
    BOOST_TEST(!gap->unit_trusted);
    BOOST_TEST(std::abs(gap->pool_length - 1) < 1e-3);
    BOOST_TEST(FindNormalizationGap(OfLengthOne(trusted).view(), pool.view())->unit_trusted);
    BOOST_TEST(
        !FindNormalizationGap(OfLengthOne(trusted).view(), OfLengthOne(pool).view()).has_value());
  }
}

BOOST_AUTO_TEST_CASE(a_shift_of_some_rows_is_none) {
  for (const std::size_t dimension : {2, 3, 4, 8, 16, 64}) {
    const test::Matrix trusted = test::RandomRows(400, dimension, 1);
    for (const std::size_t moved : {3, 5, 7, 9}) {
      for (const float by : {1.5F, 3.0F, 10.0F}) {
        test::Matrix pool = test::RandomRows(1000, dimension, 2);
        for (std::size_t i = 0; i < 1000; ++i) {
          if (i % 10 >= moved) continue;
          for (std::size_t j = 0; j < dimension; ++j) pool.row(i)[j] += by;
        }
        BOOST_TEST_CONTEXT(moved << " of 10 by " << by << " of dimension " << dimension) {
          BOOST_TEST(!FindNormalizationGap(trusted.view(), pool.view()).has_value());
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_shift_of_all_rows_in_some_columns_is_none) {
  const test::Matrix trusted = Rows(400, 64, 1);
  test::Matrix pool = Rows(1000, 64, 2);
  for (std::size_t i = 0; i < 1000; ++i) {
    for (std::size_t j = 0; j < 64; j += 2) pool.row(i)[j] += 5;
  }
  BOOST_TEST(!FindNormalizationGap(trusted.view(), pool.view()).has_value());
}

BOOST_AUTO_TEST_CASE(odd_rows_are_answered) {
  const test::Matrix rows = test::RandomRows(100, 8, 1);
  BOOST_TEST(!FindNormalizationGap(rows.view(), {nullptr, 0, 8}).has_value());
  BOOST_TEST(!FindNormalizationGap(test::RandomRows(29, 8, 1).view(), rows.view()).has_value());
  const test::Matrix zeros{100, 8, std::vector<float>(800, 0)};
  BOOST_TEST(!FindNormalizationGap(zeros.view(), zeros.view()).has_value());
  BOOST_TEST(!FindNormalizationGap(rows.view(), zeros.view()).has_value());
  BOOST_TEST(!FindNormalizationGap(zeros.view(), rows.view()).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
