#pragma once

namespace spuna::cli {

/// Makes Ctrl-C, SIGTERM and a hang-up ask for an orderly end instead of killing the process, and a
/// closed pipe or a file that grows past a limit an error instead of a signal.
void CatchInterrupts();

/// Whether an end has been asked for.
bool Interrupted();

}  // namespace spuna::cli
