#pragma once

#include "cli/arguments.h"

namespace spuna::cli {

/// Runs a command: results to standard output, everything else to standard error. Returns the exit
/// code.
int RunCommand(const Arguments& arguments);

}  // namespace spuna::cli
