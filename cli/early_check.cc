// Runs before main: nothing includes it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace spuna::cli {
namespace {

// What the libraries take while they are set up, with a thread of Arrow's.
constexpr std::size_t kNeededBytes = std::size_t{24} << 20;

// Without these addresses the libraries crash while they are set up, or when the program ends.
[[maybe_unused]] void CheckAddressSpace() {
  void* const room =
      mmap(nullptr, kNeededBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room != MAP_FAILED) {
    munmap(room, kNeededBytes);
    return;
  }
  constexpr char kMessage[] =
      "spuna: error: expected 24 MB of address space to start with but its limit (`ulimit -v`) "
      "leaves it less; raise the limit\n";
  _exit(write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1) < 0 ? 2 : 1);
}

// Sanitizers are not set up at that time.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Before the constructors of all libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*check)() = CheckAddressSpace;
#endif

}  // namespace
}  // namespace spuna::cli
