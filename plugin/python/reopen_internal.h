#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <memory>

#include "plugin/c/spuna.h"

namespace spuna::python {

namespace nb = nanobind;

/// A Python callable that opens the same rows each time, as the C interface takes it. What it
/// raises is kept, since it can't pass through C.
class Reopen {
 public:
  /// `callable` returns a capsule with a stream.
  explicit Reopen(nb::object callable);

  /// For a call of the C interface, which may keep it for as long as it likes.
  static spuna_reopen Share(const std::shared_ptr<Reopen>& self);

  /// Raises what the callable raised last, if it did. Needs the GIL.
  void Rethrow();

 private:
  int Open(ArrowArrayStream* out);

  nb::object callable_;
  std::exception_ptr exception_;
};

}  // namespace spuna::python
