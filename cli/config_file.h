#pragma once

#include <map>
#include <string>
#include <vector>

namespace spuna::cli {

/// One value of a configuration file.
struct ConfigValue {
  /// As it would stand on the command line; several for an array.
  std::vector<std::string> texts;
  /// "file.toml:3", for messages.
  std::string where;
};

/// Reads a TOML file whose keys are the names of options. Throws UsageError.
std::map<std::string, ConfigValue> ReadConfigFile(const std::string& path);

}  // namespace spuna::cli
