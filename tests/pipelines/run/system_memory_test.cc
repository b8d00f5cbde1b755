#include "pipelines/run/system_memory.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

namespace spuna {
namespace {

BOOST_AUTO_TEST_SUITE(system_memory)

BOOST_AUTO_TEST_CASE(free_memory_is_known_here) {
  BOOST_TEST(FreeMemory() > 1e6);
  BOOST_TEST(std::isfinite(FreeMemory()));
}

BOOST_AUTO_TEST_CASE(the_peak_is_what_a_program_takes_at_least) {
  BOOST_TEST(PeakMemoryBytes() > 1'000'000);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
