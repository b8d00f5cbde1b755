#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/rows/groups.h"
#include "pipelines/matrix/fit_input.h"

namespace spuna {

/// Whether the groups that `column` names can be kept whole: every row must have one, and no group
/// may be on both sides. All is well where no column is named.
arrow::Status CheckGroups(const FitInput& trusted, const FitInput& pool, const std::string& column);

/// The groups of both inputs as numbers, in the order in which they come. A row without a name is a
/// group of its own.
algorithms::Groups GroupsOf(const FitInput& trusted, const FitInput& pool);

/// The group of every valid row: by the column that was named, else near copies of one another
/// belong together. A row whose near copy was learned scores lower than new rows do, and lies
/// nearer. Empty where every row stands alone.
std::vector<std::uint32_t> GroupNumbers(const FitInput& input);

/// The valid rows of every such group, in the order in which the groups come.
std::vector<algorithms::RowNumbers> RowsByGroup(const FitInput& input);

}  // namespace spuna
