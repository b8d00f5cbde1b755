// registration_internal.h declares what this adds to the module.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/python/c_interface_internal.h"
#include "plugin/python/capsules_internal.h"
#include "plugin/python/numpy_internal.h"
#include "plugin/python/registration_internal.h"

namespace spuna::python {
namespace {

nb::object ReadParquet(const std::vector<nb::bytes>& paths, const std::string& options) {
  const Paths list(paths);
  OutgoingStream out;
  Check([&](spuna_error* error) {
    return spuna_read_parquet(list.data(), list.size(), options.c_str(), out.get(), error);
  });
  return out.Capsule();
}

nb::object ArrayStream(const nb::object& schema, const nb::object& array) {
  auto* const arrow_schema = Unwrap<ArrowSchema>(schema, kSchemaCapsule);
  auto* const arrow_array = Unwrap<ArrowArray>(array, kArrayCapsule);
  OutgoingStream out;
  Check([&](spuna_error* error) {
    return spuna_array_stream(arrow_schema, arrow_array, out.get(), error);
  });
  return out.Capsule();
}

nb::object MatrixStream(const Matrix& matrix) {
  // The array is held until the last stream or batch that refers to its values is gone.
  auto* const owner = new Matrix(matrix);
  auto release = [](void* held) {
    // At the end of the process there may be no interpreter to give it back to.
    if (!nb::is_alive()) return;
    const nb::gil_scoped_acquire acquired;
    delete static_cast<Matrix*>(held);
  };
  OutgoingStream out;
  Check([&](spuna_error* error) {
    return spuna_matrix_stream(matrix.data(), static_cast<std::int64_t>(matrix.shape(0)),
                               static_cast<std::int64_t>(matrix.shape(1)), release, owner,
                               out.get(), error);
  });
  return out.Capsule();
}

}  // namespace

void RegisterStreams(nb::module_& module) {
  module.def("read_parquet", &ReadParquet);
  module.def("array_stream", &ArrayStream);
  module.def("matrix_stream", &MatrixStream);
}

}  // namespace spuna::python
