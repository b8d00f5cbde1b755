#include "algorithms/compute/blas.h"

#include <cblas.h>

#include <boost/test/unit_test.hpp>
#include <cctype>
#include <cstdlib>
#include <string>

namespace spuna::algorithms {
namespace {

BOOST_AUTO_TEST_SUITE(blas)

BOOST_AUTO_TEST_CASE(nested_scopes_restore_the_threads_that_were_there) {
  openblas_set_num_threads(2);
  {
    const SingleThreadedBlas outer;
    BOOST_TEST(openblas_get_num_threads() == 1);
    {
      const SingleThreadedBlas inner;
      BOOST_TEST(openblas_get_num_threads() == 1);
    }
    BOOST_TEST(openblas_get_num_threads() == 1);
  }
  BOOST_TEST(openblas_get_num_threads() == 2);
}

BOOST_AUTO_TEST_CASE(a_cpu_with_avx2_does_not_get_the_kernels_of_a_pentium_4) {
#if defined(__x86_64__)
  const bool chosen_by_hand = std::getenv("OPENBLAS_CORETYPE") != nullptr;
  if (!chosen_by_hand && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    BOOST_TEST(std::string(openblas_get_corename()) != "Prescott");
  }
#endif
  const float a[] = {1, 2, 3, 4};
  const float b[] = {5, 6, 7, 8};
  float c[4];
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
  BOOST_TEST(c[0] == 19);
  BOOST_TEST(c[3] == 50);
}

BOOST_AUTO_TEST_CASE(versions_are_numbers) {
  for (const std::string& version : {OpenBlasVersion(), ArmadilloVersion(), MlpackVersion()}) {
    BOOST_TEST(std::isdigit(static_cast<unsigned char>(version.at(0))) != 0);
    BOOST_TEST(version.find('.') != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
