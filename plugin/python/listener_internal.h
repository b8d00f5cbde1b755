#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "plugin/c/spuna.h"
#include "plugin/python/c_interface_internal.h"

namespace spuna::python {

/// Passes progress on to a Python callable or None, and lets Ctrl-C and the callable's own
/// exceptions end the call. Signals are checked on the thread that made the listener, at intervals;
/// other threads see a flag.
class Listener {
 public:
  explicit Listener(nb::object callable);

  /// For a call of the C interface; the listener must outlive it.
  spuna_callbacks callbacks();

  /// Raises what ended the call, if it came from here. Needs the GIL.
  void Rethrow();

 private:
  bool ShouldStop();
  void OnProgress(const char* stage, double done);
  void Stop(const std::exception_ptr& exception);

  nb::object callable_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_look_;
  std::atomic<bool> stopped_{false};
  std::exception_ptr exception_;
};

/// Check() for a call that may be cancelled. What it has made by then must be held by someone.
template <typename Call>
void CheckCancellable(Listener& listener, Call&& call) {
  const spuna_callbacks callbacks = listener.callbacks();
  try {
    Check([&](spuna_error* error) { return call(&callbacks, error); });
  } catch (nb::python_error&) {
    listener.Rethrow();
    throw;
  }
  listener.Rethrow();
}

}  // namespace spuna::python
