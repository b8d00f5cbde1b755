#pragma once

namespace spuna::cli {

/// Makes Ctrl-C and SIGTERM ask for an orderly end instead of killing the process, and a file that
/// grows past a limit an error instead of a signal.
void CatchInterrupts();

/// Whether an end has been asked for.
bool Interrupted();

}  // namespace spuna::cli
