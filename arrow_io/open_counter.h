#pragma once

#include <map>
#include <string>

namespace spuna::arrow_io {

/// Counts how often each input file is opened while it lives, by the file's name; for tests. One at
/// a time.
class OpenCounter {
 public:
  OpenCounter();
  ~OpenCounter();
  OpenCounter(const OpenCounter&) = delete;
  OpenCounter& operator=(const OpenCounter&) = delete;

  std::map<std::string, int> counts() const;

  /// Notes that a file is opened; does nothing where nobody counts.
  static void Note(const std::string& name);
};

}  // namespace spuna::arrow_io
