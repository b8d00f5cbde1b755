#include "pipelines/options/json_text.h"

#include <nlohmann/json.hpp>

namespace spuna {

std::string DumpJson(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace spuna
