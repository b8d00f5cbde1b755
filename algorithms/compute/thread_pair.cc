#include "algorithms/compute/thread_pair.h"

#include <system_error>
#include <utility>

namespace spuna::algorithms {
namespace {

// Some ten to a hundred microseconds: longer than a step's two halves differ on quiet cores.
constexpr int kGlances = 4000;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Returns when the number is no longer this one.
void AwaitOther(const std::atomic<std::uint32_t>& number, std::uint32_t value) {
  for (int glance = 0; glance < kGlances; ++glance) {
    if (number.load(std::memory_order_acquire) != value) return;
    Pause();
  }
  number.wait(value, std::memory_order_acquire);
}

}  // namespace

ThreadPair::ThreadPair(const Execution& execution) {
  if (execution.num_threads < 2) return;
  try {
    other_ = std::jthread([this] { RunOther(); });
  } catch (const std::system_error&) {
    // The system has no thread to spare.
  }
}

ThreadPair::~ThreadPair() {
  must_stop_ = true;
  ++begun_;
  begun_.notify_one();
}

void ThreadPair::Run(const std::function<void(std::size_t half)>& task) {
  if (!other_.joinable()) {
    task(0);
    task(1);
    return;
  }
  task_ = &task;
  const std::uint32_t ended = ended_;
  ++begun_;
  begun_.notify_one();
  std::exception_ptr own_error;
  try {
    task(0);
  } catch (...) {
    own_error = std::current_exception();
  }
  AwaitOther(ended_, ended);
  const std::exception_ptr other_error = std::exchange(error_, nullptr);
  if (own_error) std::rethrow_exception(own_error);
  if (other_error) std::rethrow_exception(other_error);
}

void ThreadPair::RunOther() {
  for (std::uint32_t seen = 0;; ++seen) {
    AwaitOther(begun_, seen);
    if (must_stop_) return;
    try {
      (*task_)(1);
    } catch (...) {
      error_ = std::current_exception();
    }
    ++ended_;
    ended_.notify_one();
  }
}

}  // namespace spuna::algorithms
