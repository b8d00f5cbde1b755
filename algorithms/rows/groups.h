#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/rows/ranking.h"

namespace spuna::algorithms {

/// Rows that belong together, such as the frames of a video: they are held out, and get another
/// label, together or not at all. Without groups every row stands alone.
struct Groups {
  /// The group of every row; empty without groups. A group is on one side only.
  std::vector<std::uint32_t> trusted;
  std::vector<std::uint32_t> pool;

  bool empty() const { return trusted.empty() && pool.empty(); }
};

/// The rows of every group, in the order in which the groups first come. Without `groups` each of
/// the `num_rows` rows is alone.
std::vector<RowNumbers> RowsByGroup(std::span<const std::uint32_t> groups, std::size_t num_rows);

/// How many groups there are; without `groups` as many as rows.
std::size_t CountGroups(std::span<const std::uint32_t> groups, std::size_t num_rows);

}  // namespace spuna::algorithms
