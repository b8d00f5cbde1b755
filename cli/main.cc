// The entry point: nothing includes it.
#include <cstdio>
#include <exception>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/interrupt.h"
#include "pipelines/run/exception_status.h"

int main(int argc, char** argv) {
  try {
    spuna::cli::CatchInterrupts();
    return spuna::cli::RunCommand(spuna::cli::ParseArguments(argc, argv));
  } catch (const spuna::cli::UsageError& usage) {
    if (usage.exit_code == spuna::cli::kDone) {
      std::fputs(usage.what(), stdout);
    } else {
      std::fprintf(stderr, "spuna: error: %s\n", spuna::MessageOf(usage).c_str());
    }
    return usage.exit_code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "spuna: error: %s\n", spuna::MessageOf(error).c_str());
    return spuna::cli::kFailed;
  }
}
