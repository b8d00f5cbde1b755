#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include "pipelines/options/option_words.h"

namespace spuna::cli {

/// An option that takes text: paths, a column, a prefix. What looks like an option is taken for a
/// value that was forgotten.
template <typename T>
CLI::Option* AddText(CLI::App& command, const std::string& name, T& value, const std::string& type,
                     const std::string& description, const std::string& group) {
  return command.add_option(name, value, description)
      ->type_name(type)
      ->group(group)
      ->check([](const std::string& text) {
        return text.starts_with("--") ? "expected a value but found the option " + text
                                      : std::string();
      });
}

/// The number that a text stands for. Throws CLI::ValidationError.
template <typename T>
T ParseNumber(const std::string& name, const std::string& text) {
  if constexpr (std::is_arithmetic_v<T>) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
    const char* const kind = std::is_floating_point_v<T> ? "a number"
                             : std::is_unsigned_v<T>     ? "a whole number of 0 or more"
                                                         : "a whole number";
    throw CLI::ValidationError(
        name, std::string("expected ") + kind + " but found '" + text +
                  (error == std::errc::result_out_of_range ? "', which is out of range" : "'"));
  } else {
    return ParseNumber<typename T::value_type>(name, text);
  }
}

/// An option that takes a number, as a person would read it: nothing left over, nothing out of
/// range, no octal.
template <typename T>
CLI::Option* AddNumber(CLI::App& command, const std::string& name, T& value,
                       const std::string& description, const std::string& group) {
  CLI::Option* option = command.add_option_function<std::string>(
      name, [&value, name](const std::string& text) { value = ParseNumber<T>(name, text); },
      description);
  option->type_name("NUMBER")->group(group);
  if constexpr (std::is_arithmetic_v<T>) {
    std::ostringstream text;
    text << value;
    option->default_str(text.str());
  }
  return option;
}

/// An option that takes one of the words for a T.
template <typename T, typename Value>
CLI::Option* AddWords(CLI::App& command, const std::string& name, Value& value,
                      const std::string& description, const std::string& group) {
  const std::map<std::string, T>& words = OptionWords<T>();
  std::vector<std::string> allowed;
  for (const auto& [word, meaning] : words) allowed.push_back(word);
  return command
      .add_option_function<std::string>(
          name, [&value, &words](const std::string& word) { value = words.at(word); }, description)
      ->check(CLI::IsMember(allowed))
      ->type_name("WORD")
      ->group(group);
}

/// An option whose words stand for the values of an enumeration; the default is what `value`
/// holds.
template <typename T>
CLI::Option* AddChoice(CLI::App& command, const std::string& name, T& value,
                       const std::string& description, const std::string& group) {
  return AddWords<T>(command, name, value, description, group)->default_str(ToWord(value));
}

/// The same without a default.
template <typename T>
CLI::Option* AddChoice(CLI::App& command, const std::string& name, std::optional<T>& value,
                       const std::string& description, const std::string& group) {
  return AddWords<T>(command, name, value, description, group);
}

}  // namespace spuna::cli
