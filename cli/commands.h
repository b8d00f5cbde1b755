#pragma once

#include "pipelines/options/job_descriptions.h"

namespace spuna::cli {

/// Runs a command: results to standard output, everything else to standard error. Returns the exit
/// code.
int RunCommand(const CommandOptions& options);

}  // namespace spuna::cli
