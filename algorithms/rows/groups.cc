#include "algorithms/rows/groups.h"

#include <unordered_map>
#include <unordered_set>

namespace spuna::algorithms {

std::vector<RowNumbers> RowsByGroup(std::span<const std::uint32_t> groups, std::size_t num_rows) {
  std::vector<RowNumbers> by_group;
  std::unordered_map<std::uint32_t, std::size_t> places;
  for (const std::uint32_t row : AllRows(num_rows)) {
    const std::size_t next = by_group.size();
    const std::size_t place =
        groups.empty() ? next : places.try_emplace(groups[row], next).first->second;
    if (place == next) by_group.emplace_back();
    by_group[place].push_back(row);
  }
  return by_group;
}

std::size_t CountGroups(std::span<const std::uint32_t> groups, std::size_t num_rows) {
  if (groups.empty()) return num_rows;
  return std::unordered_set<std::uint32_t>(groups.begin(), groups.end()).size();
}

}  // namespace spuna::algorithms
