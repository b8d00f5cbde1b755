#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "plugin/python/c_interface_internal.h"
#include "plugin/python/capsules_internal.h"
#include "plugin/python/numpy_internal.h"
#include "plugin/python/registration_internal.h"

namespace spuna::python {
namespace {

// Appends a float32 column of a batch; not a number where it is null.
void AppendFloats(const ArrowArray& column, std::vector<float>& values) {
  const auto* const valid = static_cast<const std::uint8_t*>(column.buffers[0]);
  const auto* const floats = static_cast<const float*>(column.buffers[1]);
  for (std::int64_t i = column.offset; i < column.offset + column.length; ++i) {
    const bool is_valid = valid == nullptr || ((valid[i / 8] >> (i % 8)) & 1) != 0;
    values.push_back(is_valid ? floats[i] : std::numeric_limits<float>::quiet_NaN());
  }
}

// Reads a stream to its end, and returns the float32 column at this distance from the last one.
nb::object ReadFloats(const nb::object& capsule, int from_last) {
  auto* const stream = Unwrap<ArrowArrayStream>(capsule, kStreamCapsule);
  auto values = std::make_unique<std::vector<float>>();
  bool at_end = false;
  while (!at_end) {
    // Between batches Ctrl-C is heard.
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    Check([&](spuna_error* error) {
      ArrowArray batch;
      if (stream->get_next(stream, &batch) != 0) {
        const char* const reason = stream->get_last_error(stream);
        std::snprintf(error->message, sizeof(error->message), "%s",
                      reason == nullptr ? "" : reason);
        return SPUNA_INVALID;
      }
      at_end = batch.release == nullptr;
      if (at_end) return SPUNA_OK;
      AppendFloats(*batch.children[batch.n_children - 1 - from_last], *values);
      batch.release(&batch);
      return SPUNA_OK;
    });
  }
  const std::size_t size = values->size();
  return OwnedArray(std::move(values), size);
}

}  // namespace

void RegisterColumns(nb::module_& module) { module.def("read_floats", &ReadFloats); }

}  // namespace spuna::python
