#pragma once

#include <string>
#include <utility>
#include <vector>

namespace spuna {

/// Lines of a summary: a label and a text each.
using Lines = std::vector<std::pair<std::string, std::string>>;

/// The lines below each other, their texts aligned.
std::string Align(const Lines& lines);

}  // namespace spuna
