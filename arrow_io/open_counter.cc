#include "arrow_io/open_counter.h"

#include <atomic>
#include <mutex>

namespace spuna::arrow_io {
namespace {

// Asked at every open, so no lock is taken where nobody counts.
std::atomic<bool> is_counting = false;
std::mutex mutex;

std::map<std::string, int>& Counts() {
  static std::map<std::string, int> counts;
  return counts;
}

}  // namespace

OpenCounter::OpenCounter() {
  const std::scoped_lock lock(mutex);
  Counts().clear();
  is_counting = true;
}

OpenCounter::~OpenCounter() { is_counting = false; }

std::map<std::string, int> OpenCounter::counts() const {
  const std::scoped_lock lock(mutex);
  return Counts();
}

void OpenCounter::Note(const std::string& name) {
  if (!is_counting) return;
  const std::scoped_lock lock(mutex);
  ++Counts()[name];
}

}  // namespace spuna::arrow_io
