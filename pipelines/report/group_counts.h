#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pipelines/run/job_report.h"

namespace spuna {

/// Counts rows by the values of a column. A column of more than 10,000 values is counted for the
/// first that come, and under "(other)".
class GroupCounts {
 public:
  void Add(const std::string& value, bool dropped);

  /// All groups, most affected first: by the lower end of the share, then by rows and name.
  std::vector<GroupCount> Sorted() const;

 private:
  struct Numbers {
    std::int64_t rows = 0;
    std::int64_t dropped = 0;
  };
  std::map<std::string, Numbers> groups_;
};

}  // namespace spuna
