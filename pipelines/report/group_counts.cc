#include "pipelines/report/group_counts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace spuna {
namespace {

constexpr std::size_t kMaxGroups = 10'000;
constexpr const char* kOther = "(other)";
constexpr double kDeviations = 1.96;

// Wilson's interval of a share.
void SetInterval(GroupCount& group) {
  const double n = static_cast<double>(group.rows);
  if (n == 0) return;
  group.share = static_cast<double>(group.dropped) / n;
  const double z2 = kDeviations * kDeviations;
  const double center = (group.share + z2 / (2 * n)) / (1 + z2 / n);
  const double reach = kDeviations / (1 + z2 / n) *
                       std::sqrt(group.share * (1 - group.share) / n + z2 / (4 * n * n));
  group.low = std::clamp(center - reach, 0.0, group.share);
  group.high = std::clamp(center + reach, group.share, 1.0);
}

}  // namespace

void GroupCounts::Add(const std::string& value, bool dropped) {
  const bool is_known = groups_.contains(value) || groups_.size() < kMaxGroups;
  Numbers& numbers = groups_[is_known ? value : kOther];
  ++numbers.rows;
  numbers.dropped += dropped ? 1 : 0;
}

std::vector<GroupCount> GroupCounts::Sorted() const {
  std::vector<GroupCount> sorted;
  for (const auto& [value, numbers] : groups_) {
    GroupCount group{value, numbers.rows, numbers.dropped, 0, 0, 1};
    SetInterval(group);
    sorted.push_back(group);
  }
  std::ranges::sort(sorted, {}, [](const GroupCount& group) {
    return std::tuple(-group.low, -group.share, -group.rows, group.value);
  });
  return sorted;
}

}  // namespace spuna
