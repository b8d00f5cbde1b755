#include <nanobind/nanobind.h>

#include "plugin/python/capsules_internal.h"

namespace spuna::python {

OutgoingStream::~OutgoingStream() {
  if (stream_ != nullptr && stream_->release != nullptr) stream_->release(stream_.get());
}

nb::object OutgoingStream::Capsule() {
  PyObject* const capsule = PyCapsule_New(stream_.get(), kStreamCapsule, [](PyObject* object) {
    const std::unique_ptr<ArrowArrayStream> held(
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(object, kStreamCapsule)));
    if (held->release != nullptr) held->release(held.get());
  });
  if (capsule == nullptr) throw nb::python_error();
  static_cast<void>(stream_.release());
  return nb::steal(capsule);
}

}  // namespace spuna::python
