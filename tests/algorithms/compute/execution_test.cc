#include "algorithms/compute/execution.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace spuna::algorithms {
namespace {

constexpr auto kLong = std::chrono::milliseconds(1);

BOOST_AUTO_TEST_SUITE(execution)

BOOST_AUTO_TEST_CASE(runs_every_task_once_and_no_worker_twice_at_a_time) {
  for (const int num_threads : {-1, 0, 1, 2, 7}) {
    for (const std::size_t num_tasks : {0, 1, 2, 100}) {
      Execution execution;
      execution.num_threads = num_threads;
      std::vector<std::atomic<int>> runs(num_tasks);
      std::vector<std::atomic<int>> busy(16);
      std::atomic<bool> shared_worker{false};
      ParallelFor(num_tasks, execution, [&](std::size_t index, std::size_t worker) {
        if (busy[worker]++ != 0) shared_worker = true;
        ++runs[index];
        --busy[worker];
      });
      BOOST_TEST(!shared_worker);
      for (const auto& count : runs) BOOST_TEST(count == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_exception_ends_the_loop_and_comes_out) {
  for (const int num_threads : {1, 3}) {
    Execution execution;
    execution.num_threads = num_threads;
    std::atomic<int> runs{0};
    BOOST_CHECK_EXCEPTION(ParallelFor(1'000'000, execution,
                                      [&](std::size_t index, std::size_t) {
                                        ++runs;
                                        if (index == 20) throw std::runtime_error("task 20");
                                        // Long enough that nobody finishes them all meanwhile.
                                        if (index > 20) std::this_thread::sleep_for(kLong);
                                      }),
                          std::runtime_error,
                          [](const auto& error) { return std::string(error.what()) == "task 20"; });
    BOOST_TEST(runs < 1'000'000);
  }
}

BOOST_AUTO_TEST_CASE(stops_between_tasks_when_asked) {
  Execution execution;
  execution.num_threads = 2;
  std::atomic<int> runs{0};
  execution.should_stop = [&] { return runs > 10; };
  BOOST_CHECK_THROW(ParallelFor(1'000'000, execution, [&](std::size_t, std::size_t) { ++runs; }),
                    Interrupted);
  BOOST_TEST(runs < 100);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::algorithms
