#include <nanobind/nanobind.h>

#include <utility>

#include "plugin/python/listener_internal.h"

namespace spuna::python {
namespace {

constexpr auto kSignalInterval = std::chrono::milliseconds(50);

}  // namespace

Listener::Listener(nb::object callable) : callable_(std::move(callable)) {}

spuna_callbacks Listener::callbacks() {
  spuna_callbacks result{};
  result.context = this;
  result.should_stop = [](void* context) -> int {
    return static_cast<Listener*>(context)->ShouldStop() ? 1 : 0;
  };
  result.on_progress = [](void* context, const char* stage, double done) {
    static_cast<Listener*>(context)->OnProgress(stage, done);
  };
  return result;
}

void Listener::Rethrow() {
  if (exception_) std::rethrow_exception(exception_);
}

bool Listener::ShouldStop() {
  if (stopped_) return true;
  if (std::this_thread::get_id() != thread_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_look_ < kSignalInterval) return false;
  last_look_ = now;
  const nb::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() != 0) Stop(std::make_exception_ptr(nb::python_error()));
  return stopped_;
}

void Listener::OnProgress(const char* stage, double done) {
  if (stopped_ || callable_.is_none()) return;
  const nb::gil_scoped_acquire acquired;
  try {
    callable_(stage, done);
  } catch (...) {
    Stop(std::current_exception());
  }
}

void Listener::Stop(const std::exception_ptr& exception) {
  exception_ = exception;
  stopped_ = true;
}

}  // namespace spuna::python
