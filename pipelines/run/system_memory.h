#pragma once

#include <cstdint>

namespace spuna {

/// The memory, in bytes, that this process may still take: what the system calls available, its
/// control group's and its own limit. Infinite where nobody says.
double FreeMemory();

/// The most memory that this process has held at a time.
std::int64_t PeakMemoryBytes();

}  // namespace spuna
