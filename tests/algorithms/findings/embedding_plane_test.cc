#include "algorithms/findings/embedding_plane.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

#include "tests/support/random_rows.h"

namespace spuna::algorithms {
namespace {

struct Rows {
  test::Matrix trusted = test::RandomRows(300, 6, 1);
  test::Matrix pool = test::RandomRows(400, 6, 2);
  std::vector<std::uint8_t> shifted = std::vector<std::uint8_t>(400, 0);
  Whitening whitening = FitWhitening(trusted.view());

  // Odd pool rows are shifted along dimension 2; even ones are spread widely along dimension 4.
  Rows() {
    for (std::size_t i = 0; i < 400; ++i) {
      if (i % 2 == 1) pool.row(i)[2] += 5;
      if (i % 2 == 0) pool.row(i)[4] *= 6;
      shifted[i] = i % 2 == 1 ? 1 : 0;
    }
  }
  Plane Find() const { return FindPlane(trusted.view(), pool.view(), shifted, whitening, {}); }
};

double Correlation(const Matrix& coordinates, std::size_t axis, const test::Matrix& rows,
                   std::size_t dimension) {
  const double n = static_cast<double>(rows.num_rows);
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const double a = coordinates.view().row(i)[axis];
    const double b = rows.view().row(i)[dimension];
    x += a / n, y += b / n, xx += a * a / n, yy += b * b / n, xy += a * b / n;
  }
  return (xy - x * y) / std::sqrt((xx - x * x) * (yy - y * y));
}

BOOST_FIXTURE_TEST_SUITE(embedding_plane, Rows)

BOOST_AUTO_TEST_CASE(the_first_axis_tells_shifted_rows_and_the_second_is_the_widest) {
  const Plane plane = Find();
  BOOST_TEST((plane.axes[0] == PlaneAxis::kDiscriminant));
  BOOST_TEST((plane.axes[1] == PlaneAxis::kPrincipal));
  const Matrix coordinates = plane.Project(pool.view(), {});
  BOOST_TEST(coordinates.dimension == 2);
  BOOST_TEST(Correlation(coordinates, 0, pool, 2) > 0.95);
  BOOST_TEST(std::abs(Correlation(coordinates, 1, pool, 4)) > 0.95);
}

BOOST_AUTO_TEST_CASE(without_shifted_rows_both_axes_are_principal) {
  shifted.assign(400, 0);
  const Plane plane = Find();
  BOOST_TEST((plane.axes == std::array{PlaneAxis::kPrincipal, PlaneAxis::kPrincipal}));
  const Matrix coordinates = plane.Project(pool.view(), {});
  BOOST_TEST(std::abs(Correlation(coordinates, 0, pool, 4)) > 0.95);
  BOOST_TEST(std::abs(Correlation(coordinates, 1, pool, 2)) > 0.95);
}

BOOST_AUTO_TEST_CASE(signs_do_not_depend_on_the_order_of_rows) {
  const Matrix first = Find().Project(pool.view(), {});
  test::Matrix turned = pool;
  for (std::size_t i = 0; i < 400; ++i) {
    std::copy_n(pool.row(399 - i), 6, turned.row(i));
    shifted[i] = (399 - i) % 2 == 1 ? 1 : 0;
  }
  const Matrix again =
      FindPlane(trusted.view(), turned.view(), shifted, whitening, {}).Project(pool.view(), {});
  for (std::size_t i = 0; i < first.values.size(); ++i) {
    BOOST_TEST(std::abs(first.values[i] - again.values[i]) < 1e-3);
  }
}

BOOST_AUTO_TEST_CASE(few_and_absurd_rows) {
  for (const std::size_t num_trusted : {1, 2, 3, 20}) {
    for (const std::size_t num_pool : {0, 1, 2, 17}) {
      for (const std::size_t dimension : {1, 2, 3, 30}) {
        for (const bool alike : {false, true}) {
          BOOST_TEST_CONTEXT(num_trusted << " and " << num_pool << " rows of " << dimension) {
            test::Matrix few = test::HardRows(num_trusted, dimension, 3);
            test::Matrix some = test::HardRows(num_pool, dimension, 4);
            if (alike) few.values.assign(few.values.size(), 1.0F);
            if (alike) some.values.assign(some.values.size(), 1.0F);
            const std::vector<std::uint8_t> all(num_pool, 1);
            const Plane plane =
                FindPlane(few.view(), some.view(), all, FitWhitening(few.view()), {});
            BOOST_TEST((plane.axes[1] == PlaneAxis::kNone) == (dimension == 1));
            const Matrix coordinates = plane.Project(some.view(), {});
            BOOST_TEST(coordinates.num_rows() == num_pool);
            for (const float value : coordinates.values) BOOST_TEST(std::isfinite(value));
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(threads_do_not_matter) {
  Execution two;
  two.num_threads = 2;
  const Plane plane = FindPlane(trusted.view(), pool.view(), shifted, whitening, two);
  BOOST_TEST((plane.Project(pool.view(), two).values == Find().Project(pool.view(), {}).values));
}

BOOST_AUTO_TEST_CASE(sizes_must_agree) {
  shifted.pop_back();
  BOOST_CHECK_EXCEPTION(Find(), std::invalid_argument, [](auto& error) {
    return std::string(error.what()) ==
           "expected 400 marks of shifted rows, one a pool row, but found 399";
  });
  BOOST_CHECK_THROW(Plane{}.Project(pool.view(), {}), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
