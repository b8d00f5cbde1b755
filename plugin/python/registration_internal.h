// Each part is registered in a file of its own: no source file.
#pragma once

#include <nanobind/nanobind.h>

namespace spuna::python {

/// The class Model. (model.cc)
void RegisterModel(nanobind::module_& module);
/// fit, clean, evaluate and the checks of their options. (calls.cc)
void RegisterCalls(nanobind::module_& module);
/// Files, arrays and matrices as streams. (streams.cc)
void RegisterStreams(nanobind::module_& module);
/// Columns of a stream as numpy arrays. (columns.cc)
void RegisterColumns(nanobind::module_& module);
/// The classes Partition and Entropy. (partition.cc)
void RegisterPartition(nanobind::module_& module);

}  // namespace spuna::python
