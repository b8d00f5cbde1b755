#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "plugin/c/spuna.h"

namespace spuna::python {

namespace nb = nanobind;

/// Raises the Python exception that fits the code, with the error's message. Needs the GIL.
[[noreturn]] void Raise(spuna_code code, const spuna_error& error);

/// Calls a function of the C interface without the GIL, and raises what it reports. `call` gets the
/// error to fill.
template <typename Call>
void Check(Call&& call) {
  spuna_error error{};
  spuna_code code = SPUNA_OK;
  {
    const nb::gil_scoped_release released;
    code = call(&error);
  }
  if (code != SPUNA_OK) Raise(code, error);
}

struct TextDeleter {
  void operator()(char* text) const { spuna_string_free(text); }
};
/// Text or bytes that the C interface handed out.
using Text = std::unique_ptr<char, TextDeleter>;

/// A path. Paths come as bytes, since they need not be text.
std::string PathOf(const nb::bytes& path);

/// A list of paths as the C interface takes it.
class Paths {
 public:
  explicit Paths(const std::vector<nb::bytes>& paths);

  const char* const* data() const { return pointers_.data(); }
  std::size_t size() const { return pointers_.size(); }

 private:
  std::vector<std::string> paths_;
  std::vector<const char*> pointers_;
};

}  // namespace spuna::python
