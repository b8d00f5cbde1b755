// The Python extension: the C interface, in Python's terms. Streams come and go as the capsules of
// the Arrow PyCapsule interface; everything else is done in python/spuna.
#include <nanobind/nanobind.h>

#include "plugin/c/spuna.h"
#include "plugin/python/registration_internal.h"

NB_MODULE(_spuna, module) {
  // What others hold until the process ends is not ours to report.
  nanobind::set_leak_warnings(false);
  spuna::python::RegisterModel(module);
  spuna::python::RegisterPartition(module);
  spuna::python::RegisterCleaned(module);
  spuna::python::RegisterReview(module);
  spuna::python::RegisterCalls(module);
  spuna::python::RegisterStreams(module);
  spuna::python::RegisterColumns(module);
  module.attr("version") = spuna_version();
}
