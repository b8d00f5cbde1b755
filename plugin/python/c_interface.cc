#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>

#include "plugin/python/c_interface_internal.h"

namespace spuna::python {

void Raise(spuna_code code, const spuna_error& error) {
  PyObject* type = PyExc_RuntimeError;
  if (code == SPUNA_INVALID) type = PyExc_ValueError;
  if (code == SPUNA_IO) type = PyExc_OSError;
  if (code == SPUNA_OUT_OF_MEMORY) type = PyExc_MemoryError;
  // "`overwrite=true`" in Python's words.
  std::string message = error.message;
  for (std::size_t at = 0; (at = message.find("=true`", at)) != std::string::npos; ++at) {
    message[at + 1] = 'T';
  }
  // Ctrl-C that a reader of pyarrow heard comes as the text of a stream's error.
  while (!message.empty() && message.back() == '\n') message.pop_back();
  if (message.ends_with("\nKeyboardInterrupt")) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

std::string PathOf(const nb::bytes& path) { return {path.c_str(), path.size()}; }

Paths::Paths(const std::vector<nb::bytes>& paths) {
  for (const nb::bytes& path : paths) paths_.push_back(PathOf(path));
  for (const std::string& path : paths_) pointers_.push_back(path.c_str());
}

}  // namespace spuna::python
