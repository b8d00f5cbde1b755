#pragma once

#include <arrow/status.h>

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

/// The valid rows of every group, in the order in which the groups come. Without groups every row
/// is alone.
std::vector<algorithms::RowNumbers> RowsByGroup(const FitInput& input);

}  // namespace spuna
