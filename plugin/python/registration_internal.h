// Each part is registered in a file of its own: no source file.
#pragma once

#include <nanobind/nanobind.h>

namespace spuna::python {

/// The class Model. (model.cc)
void RegisterModel(nanobind::module_& module);
/// The class Cleaned, and what makes it. (cleaned.cc)
void RegisterCleaned(nanobind::module_& module);
/// The class ReviewList, and what makes it. (review.cc)
void RegisterReview(nanobind::module_& module);
/// fit, plan, monitor, evaluate and the checks of options. (calls.cc)
void RegisterCalls(nanobind::module_& module);
/// Files, arrays and matrices as streams. (streams.cc)
void RegisterStreams(nanobind::module_& module);
/// Columns of a stream as numpy arrays. (columns.cc)
void RegisterColumns(nanobind::module_& module);
/// The classes Partition and Entropy. (partition.cc)
void RegisterPartition(nanobind::module_& module);

}  // namespace spuna::python
