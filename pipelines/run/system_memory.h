#pragma once

#include <cstdint>

namespace spuna {

/// The memory, in bytes, that this process may still take: what the system calls available, what
/// its control groups leave it, and its own limit. Infinite where nobody says.
double FreeMemory();

/// The addresses, in bytes, that the process's own limit (`ulimit -v`) leaves it. Infinite without.
double FreeAddressSpace();

/// The most memory that this process has held at a time.
std::int64_t PeakMemoryBytes();

}  // namespace spuna
