#pragma once

#include <nlohmann/json_fwd.hpp>

namespace spuna {

/// The list of options for whoever writes about it: scripts/option_docs makes the tables of
/// docs/reference.md and the options of the Python package from it. A list of
///
///     name, call_name, group, help, notes, value_name    as in Option
///     kind, words                                         what its value looks like
///     default, rule                                       text, or empty
///     commands, is_required                               the commands that have it
///     not_in_calls                                        as in Option
nlohmann::json DescribeOptions();

}  // namespace spuna
