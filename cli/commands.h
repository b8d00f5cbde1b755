#pragma once

#include "cli/arguments.h"

namespace spuna::cli {

/// The exit codes of the program.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kInterrupted = 130;

/// Runs a command: results to standard output, everything else to standard error. Returns the exit
/// code.
int RunCommand(const Arguments& arguments);

}  // namespace spuna::cli
