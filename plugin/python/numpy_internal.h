// Templates over element types: no source file.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace spuna::python {

namespace nb = nanobind;

/// Rows of float32 that Python passes, one after the other.
using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Row numbers that Python passes.
using RowNumbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A numpy array of this shape that owns the values.
template <typename T, typename... Sizes>
nb::object OwnedArray(std::unique_ptr<std::vector<T>> values, Sizes... sizes) {
  T* const data = values->data();
  const nb::capsule owner(values.release(),
                          [](void* held) noexcept { delete static_cast<std::vector<T>*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<sizeof...(Sizes)>>(
      data, {static_cast<std::size_t>(sizes)...}, owner));
}

}  // namespace spuna::python
