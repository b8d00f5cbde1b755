#include "algorithms/compute/thread_pair.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace spuna::algorithms {
namespace {

Execution Threads(int count) {
  Execution execution;
  execution.num_threads = count;
  return execution;
}

BOOST_AUTO_TEST_SUITE(thread_pair)

BOOST_AUTO_TEST_CASE(both_halves_of_every_step_are_done_before_the_next) {
  for (const int num_threads : {1, 2, 5}) {
    ThreadPair threads(Threads(num_threads));
    std::array<int, 2> counts{};
    for (int step = 0; step < 20'000; ++step) {
      threads.Run([&](std::size_t half) { ++counts[half]; });
      BOOST_TEST_REQUIRE((counts[0] == step + 1 && counts[1] == step + 1));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_thread_that_fell_asleep_is_woken) {
  ThreadPair threads(Threads(2));
  std::array<int, 2> counts{};
  for (int step = 0; step < 5; ++step) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    threads.Run([&](std::size_t half) {
      // Then the first waits, and sleeps too.
      if (half == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++counts[half];
    });
  }
  BOOST_TEST((counts[0] == 5 && counts[1] == 5));
}

BOOST_AUTO_TEST_CASE(what_a_half_throws_comes_out_and_the_pair_works_on) {
  for (const int num_threads : {1, 2}) {
    ThreadPair threads(Threads(num_threads));
    for (const std::size_t bad : {0, 1}) {
      BOOST_CHECK_THROW(threads.Run([&](std::size_t half) {
        if (half == bad) throw std::runtime_error("bad");
      }),
                        std::runtime_error);
    }
    std::array<int, 2> counts{};
    threads.Run([&](std::size_t half) { ++counts[half]; });
    BOOST_TEST((counts[0] == 1 && counts[1] == 1));
  }
}

BOOST_AUTO_TEST_CASE(a_pair_that_never_ran_ends) { ThreadPair threads(Threads(2)); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
