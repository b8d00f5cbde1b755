#include "algorithms/compute/execution.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace spuna::algorithms {

void ParallelFor(std::size_t num_tasks, const Execution& execution,
                 const std::function<void(std::size_t index, std::size_t worker)>& task) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr first_error;
  std::mutex error_mutex;

  auto work = [&](std::size_t worker) {
    try {
      for (std::size_t index = next++; index < num_tasks && !failed; index = next++) {
        execution.CheckStop();
        task(index, worker);
      }
    } catch (...) {
      const std::scoped_lock lock(error_mutex);
      if (!first_error) first_error = std::current_exception();
      failed = true;
    }
  };

  const std::size_t num_workers = std::min<std::size_t>(
      num_tasks, static_cast<std::size_t>(std::max(execution.num_threads, 1)));
  {
    std::vector<std::jthread> others;
    others.reserve(num_workers);
    try {
      for (std::size_t worker = 1; worker < num_workers; ++worker) {
        others.emplace_back(work, worker);
      }
    } catch (const std::system_error&) {
      // The system has no thread to spare: those that started, or this one alone, do the work.
    }
    work(0);
  }
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace spuna::algorithms
