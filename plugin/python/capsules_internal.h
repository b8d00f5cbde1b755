#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "plugin/c/spuna.h"

namespace spuna::python {

namespace nb = nanobind;

// The names that the Arrow PyCapsule interface gives its capsules.
inline constexpr const char* kStreamCapsule = "arrow_array_stream";
inline constexpr const char* kSchemaCapsule = "arrow_schema";
inline constexpr const char* kArrayCapsule = "arrow_array";

/// What a capsule of this name holds. The capsule owns it until the C interface takes it over.
template <typename T>
T* Unwrap(nb::handle capsule, const char* name) {
  auto* const pointer = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (pointer == nullptr) throw nb::python_error();
  return pointer;
}

/// A stream that is handed to Python: released with its capsule unless someone took it over.
class OutgoingStream {
 public:
  OutgoingStream() = default;
  ~OutgoingStream();
  OutgoingStream(const OutgoingStream&) = delete;
  OutgoingStream& operator=(const OutgoingStream&) = delete;

  /// Where a function of the C interface writes the stream.
  ArrowArrayStream* get() { return stream_.get(); }

  /// Moves the stream into a capsule. May be called once.
  nb::object Capsule();

 private:
  std::unique_ptr<ArrowArrayStream> stream_ =
      std::make_unique<ArrowArrayStream>(ArrowArrayStream{});
};

}  // namespace spuna::python
