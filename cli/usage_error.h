// Plain data: no source file.
#pragma once

#include <stdexcept>
#include <string>

namespace spuna::cli {

/// A command line that can't be run. The message is for the user; with code 0 it is help or a
/// version, for standard output.
struct UsageError : std::runtime_error {
  UsageError(const std::string& message, int code) : std::runtime_error(message), exit_code(code) {}
  int exit_code;
};

}  // namespace spuna::cli
