#include "pipelines/run/system_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "pipelines/options/control_groups.h"

namespace spuna {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// The first number in a file; infinite when there is none.
double NumberIn(const char* path) {
  std::ifstream file(path);
  double number = 0;
  return file >> number ? number : kUnlimited;
}

// What a file of lines like "VmHWM: 5124 kB" says of a name, in bytes; infinite when nothing.
double BytesIn(const char* path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string found;
    double kibibytes = 0;
    if (words >> found >> kibibytes && found == name) return kibibytes * 1024;
  }
  return kUnlimited;
}

}  // namespace

double FreeAddressSpace() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  // The first number is the size of the address space in pages.
  const double pages = NumberIn("/proc/self/statm");
  if (pages == kUnlimited) return kUnlimited;
  const double used = pages * static_cast<double>(sysconf(_SC_PAGESIZE));
  return std::max(static_cast<double>(limit.rlim_cur) - used, 0.0);
}

double FreeMemory() {
  return std::min({BytesIn("/proc/meminfo", "MemAvailable:"), ReadControlGroups().free_memory,
                   FreeAddressSpace()});
}

std::int64_t PeakMemoryBytes() {
  // Linux counts in rusage what the process that started this one had; here it does not.
  const double peak = BytesIn("/proc/self/status", "VmHWM:");
  if (peak != kUnlimited) return static_cast<std::int64_t>(peak);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace spuna
