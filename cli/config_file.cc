#include "cli/config_file.h"

#include <toml++/toml.h>

#include <filesystem>
#include <sstream>

#include "cli/exit_codes.h"
#include "cli/usage_error.h"

namespace spuna::cli {
namespace {

// Texts as they would stand on the command line.
std::vector<std::string> Texts(const toml::node& node, const std::string& key,
                               const std::string& where) {
  if (const toml::array* array = node.as_array()) {
    std::vector<std::string> texts;
    for (const toml::node& element : *array) {
      if (element.is_array()) break;
      const std::vector<std::string> one = Texts(element, key, where);
      texts.insert(texts.end(), one.begin(), one.end());
    }
    if (texts.size() == array->size()) return texts;
  }
  if (const auto text = node.value_exact<std::string>()) return {*text};
  if (const auto flag = node.value_exact<bool>()) return {*flag ? "true" : "false"};
  if (const auto number = node.value_exact<std::int64_t>()) return {std::to_string(*number)};
  if (const auto number = node.value_exact<double>()) {
    std::ostringstream text;
    text.precision(17);
    text << *number;
    return {text.str()};
  }
  throw UsageError(
      where + ": '" + key + "' must be a text, a number, true, false or a list of them",
      kWrongUsage);
}

}  // namespace

std::map<std::string, ConfigValue> ReadConfigFile(const std::string& path) {
  if (!std::filesystem::is_regular_file(path))
    throw UsageError(path + ": there is no such file", kWrongUsage);
  toml::table table;
  try {
    table = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    std::string where = path;
    if (error.source().begin) where += ":" + std::to_string(error.source().begin.line);
    throw UsageError(where + ": " + std::string(error.description()), kWrongUsage);
  }
  std::map<std::string, ConfigValue> values;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const std::string where = path + ":" + std::to_string(node.source().begin.line);
    values[name] = {Texts(node, name, where), where};
  }
  return values;
}

}  // namespace spuna::cli
