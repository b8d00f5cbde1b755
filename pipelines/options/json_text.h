#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace spuna {

/// A JSON text; bytes that are not UTF-8, as a column's name may hold, are replaced.
std::string DumpJson(const nlohmann::json& value, int indent = -1);

}  // namespace spuna
