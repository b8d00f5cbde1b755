#pragma once

#include <string>
#include <vector>

namespace spuna {

/// The one of the names that a mistyped name was most likely meant to be; empty where none is
/// close: more than a third of it would have to change.
std::string SimilarName(const std::string& mistyped, const std::vector<std::string>& names);

}  // namespace spuna
