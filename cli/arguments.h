#pragma once

#include "cli/usage_error.h"
#include "pipelines/options/job_descriptions.h"

namespace spuna::cli {

/// Reads the command line, and the configuration file if it names one. Throws UsageError.
CommandOptions ParseArguments(int argc, const char* const* argv);

}  // namespace spuna::cli
