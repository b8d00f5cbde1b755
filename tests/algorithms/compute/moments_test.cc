#include "algorithms/compute/moments.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

namespace spuna::algorithms {
namespace {

BOOST_AUTO_TEST_SUITE(moments)

BOOST_AUTO_TEST_CASE(are_those_of_the_formula) {
  const Moments moments = MomentsOf(std::vector<double>{2, -4, 4, 6});
  BOOST_TEST(moments.mean == 2);
  BOOST_TEST(moments.deviation == std::sqrt(14.0));
  BOOST_TEST(moments.largest == 6);
}

BOOST_AUTO_TEST_CASE(equal_values_have_no_deviation) {
  const Moments moments = MomentsOf(std::vector<double>(3, -0.5));
  BOOST_TEST(moments.mean == -0.5);
  BOOST_TEST(moments.deviation == 0);
  BOOST_TEST(moments.largest == 0.5);
}

BOOST_AUTO_TEST_CASE(values_that_are_not_finite_are_left_out) {
  for (const double missing : {NAN, INFINITY, -INFINITY}) {
    const Moments moments = MomentsOf(std::vector<double>{missing, 1, 3});
    BOOST_TEST(moments.mean == 2);
    BOOST_TEST(moments.deviation == 1);
    BOOST_TEST(moments.largest == 3);
    BOOST_TEST(MomentsOf(std::vector<double>{missing}).deviation == 0);
  }
  BOOST_TEST(MomentsOf({}).mean == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
