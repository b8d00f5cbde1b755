#include <nanobind/nanobind.h>

#include <utility>

#include "plugin/python/capsules_internal.h"
#include "plugin/python/reopen_internal.h"

namespace spuna::python {

Reopen::Reopen(nb::object callable) : callable_(std::move(callable)) {}

spuna_reopen Reopen::Share(const std::shared_ptr<Reopen>& self) {
  spuna_reopen shared{};
  shared.context = new std::shared_ptr<Reopen>(self);
  shared.open = [](void* context, ArrowArrayStream* out) {
    return (*static_cast<std::shared_ptr<Reopen>*>(context))->Open(out);
  };
  shared.release = [](void* context) {
    // At the end of the process there may be no interpreter to give it back to.
    if (!nb::is_alive()) return;
    const nb::gil_scoped_acquire acquired;
    delete static_cast<std::shared_ptr<Reopen>*>(context);
  };
  return shared;
}

int Reopen::Open(ArrowArrayStream* out) {
  const nb::gil_scoped_acquire acquired;
  try {
    const nb::object capsule = callable_();
    auto* const stream = Unwrap<ArrowArrayStream>(capsule, kStreamCapsule);
    *out = *stream;
    stream->release = nullptr;
    return 0;
  } catch (...) {
    exception_ = std::current_exception();
    return 1;
  }
}

void Reopen::Rethrow() {
  if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
}

}  // namespace spuna::python
