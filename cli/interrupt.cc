#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace spuna::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

// The first signal asks for an orderly end; a second one does not wait for it.
void OnSignal(int number) {
  if (interrupted.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

}  // namespace

void CatchInterrupts() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    sigaction(number, nullptr, &action);
    // What whoever started us has had ignored (nohup, a shell's background job) stays ignored.
    if (action.sa_handler == SIG_IGN) continue;
    action.sa_handler = OnSignal;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

bool Interrupted() { return interrupted; }

}  // namespace spuna::cli
