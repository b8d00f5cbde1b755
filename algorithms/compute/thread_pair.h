#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>

#include "algorithms/compute/execution.h"

namespace spuna::algorithms {

/// Two threads for work of many short steps, where starting one for each step (ParallelFor) would
/// take too much of the time. The second lives as long as this does, and looks out for the next
/// step for a moment before it sleeps.
class ThreadPair {
 public:
  /// With one thread only, or where the system has no more, this thread does the work of both.
  explicit ThreadPair(const Execution& execution);
  ~ThreadPair();
  ThreadPair(const ThreadPair&) = delete;
  ThreadPair& operator=(const ThreadPair&) = delete;

  /// Runs `task(0)` on this thread and `task(1)` on the other, at the same time; returns when both
  /// have ended. Throws what one of them threw. The result must not depend on who runs what.
  void Run(const std::function<void(std::size_t half)>& task);

 private:
  void RunOther();

  const std::function<void(std::size_t)>* task_ = nullptr;
  std::exception_ptr error_;
  // How many steps have begun, and how many the other thread has ended.
  std::atomic<std::uint32_t> begun_ = 0;
  std::atomic<std::uint32_t> ended_ = 0;
  std::atomic<bool> must_stop_ = false;
  std::jthread other_;
};

}  // namespace spuna::algorithms
