#pragma once

#include <filesystem>
#include <limits>

namespace spuna {

/// What the control groups of a process allow it: its own group and all above it, of version 1, 2
/// or both. Infinite where no group sets a limit.
struct ControlGroups {
  /// The time of how many CPUs; the smallest quota counts.
  double cpus = std::numeric_limits<double>::infinity();
  /// The bytes that may still be taken, counting as free what the system can drop at once: pages of
  /// files that are not in use. The smallest rest counts.
  double free_memory = std::numeric_limits<double>::infinity();
};

/// Reads the limits of this process from the files of the system. `root` is where these begin:
/// another than "/" is for tests. A file that is missing or makes no sense sets no limit.
ControlGroups ReadControlGroups(const std::filesystem::path& root = "/");

}  // namespace spuna
