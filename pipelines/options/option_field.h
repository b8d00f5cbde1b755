// Templates over the types of options: no source file.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/compute/format_number.h"
#include "pipelines/options/json_text.h"
#include "pipelines/options/option_words.h"

namespace spuna {

/// What an option's value looks like to whoever gives it.
enum class ValueKind {
  kFlag,    ///< given or not; true or false
  kNumber,  ///< with or without a fraction
  kWhole,   ///< without a fraction
  kWord,    ///< one of a few words
  kText,    ///< any text
  kTexts,   ///< one or more of them
};

/// The field that an option fills, whatever its type. Setting a value of another kind throws
/// std::invalid_argument, which says what was expected and found. The field must outlive it.
class OptionField {
 public:
  virtual ~OptionField() = default;

  virtual ValueKind kind() const = 0;
  /// Whether it can be left open, and whether it is.
  virtual bool IsOptional() const = 0;
  virtual bool IsSet() const = 0;
  /// From the command line or a configuration file. Of kTexts each call adds one.
  virtual void SetText(const std::string& text) = 0;
  virtual void SetJson(const nlohmann::json& value) = 0;
  /// Leaves it open, where that is possible.
  virtual void Reset() = 0;
  /// The value; null where it is open.
  virtual nlohmann::json ToJson() const = 0;
  /// The flag itself, of a kFlag; else null.
  virtual bool* Flag() { return nullptr; }
  /// The words that a kWord may be.
  virtual std::vector<std::string> Words() const { return {}; }
};

namespace option_values {

[[noreturn]] inline void Refuse(const std::string& expected, const std::string& found) {
  throw std::invalid_argument("expected " + expected + " but found " + found);
}

/// How values of a type are read and written. One for each type that an option may fill.
template <typename T>
struct Value;

template <typename T>
  requires std::is_arithmetic_v<T> && (!std::same_as<T, bool>)
struct Value<T> {
  static constexpr ValueKind kKind =
      std::is_floating_point_v<T> ? ValueKind::kNumber : ValueKind::kWhole;
  static constexpr const char* kExpected = std::is_floating_point_v<T> ? "a number"
                                           : std::is_unsigned_v<T> ? "a whole number of 0 or more"
                                                                   : "a whole number";

  // As a person would read it: nothing left over, nothing out of range, no octal.
  static T FromText(const std::string& text) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
    const bool is_out_of_range = error == std::errc::result_out_of_range;
    Refuse(kExpected, "'" + text + (is_out_of_range ? "', which is out of range" : "'"));
  }
  static T FromJson(const nlohmann::json& value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (value.is_number()) return value.get<T>();
    } else if constexpr (std::is_unsigned_v<T>) {
      const bool is_negative =
          value.is_number_integer() && !value.is_number_unsigned() && value.get<std::int64_t>() < 0;
      if (value.is_number_integer() && !is_negative) return value.get<T>();
    } else if (value.is_number_unsigned()) {
      const auto number = value.get<std::uint64_t>();
      if (number <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
        return static_cast<T>(number);
      }
    } else if (value.is_number_integer()) {
      const auto number = value.get<std::int64_t>();
      if (number >= std::numeric_limits<T>::min()) return static_cast<T>(number);
    }
    Refuse(kExpected, DumpJson(value));
  }
  static nlohmann::json ToJson(T value) { return value; }
  static std::vector<std::string> Words() { return {}; }
};

template <>
struct Value<bool> {
  static constexpr ValueKind kKind = ValueKind::kFlag;
  static bool FromText(const std::string& text) {
    if (text == "true" || text == "on") return true;
    if (text == "false" || text == "off") return false;
    Refuse("true or false", "'" + text + "'");
  }
  static bool FromJson(const nlohmann::json& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (value == "on" || value == "off") return value == "on";
    Refuse("true or false", DumpJson(value));
  }
  static nlohmann::json ToJson(bool value) { return value; }
  static std::vector<std::string> Words() { return {}; }
};

template <>
struct Value<std::string> {
  static constexpr ValueKind kKind = ValueKind::kText;
  static std::string FromText(const std::string& text) { return text; }
  static std::string FromJson(const nlohmann::json& value) {
    if (!value.is_string()) Refuse("a text", DumpJson(value));
    return value.get<std::string>();
  }
  static nlohmann::json ToJson(const std::string& value) { return value; }
  static std::vector<std::string> Words() { return {}; }
};

template <typename T>
  requires std::is_enum_v<T>
struct Value<T> {
  static constexpr ValueKind kKind = ValueKind::kWord;
  static T FromText(const std::string& text) { return FromWord<T>(text); }
  static T FromJson(const nlohmann::json& value) {
    const auto& words = OptionWords<T>();
    const auto found = value.is_string() ? words.find(value.get<std::string>()) : words.end();
    if (found != words.end()) return found->second;
    Refuse("one of " + AllowedWords<T>(), DumpJson(value));
  }
  static nlohmann::json ToJson(T value) { return ToWord(value); }
  static std::vector<std::string> Words() {
    std::vector<std::string> words;
    for (const auto& [word, meaning] : OptionWords<T>()) words.push_back(word);
    return words;
  }
};

/// A switch that the recipe sets where nobody does: true and "on" mean the same.
struct SwitchValue : Value<bool> {
  static constexpr ValueKind kKind = ValueKind::kWord;
  static bool FromText(const std::string& text) { return FromWord<bool>(text); }
  static bool FromJson(const nlohmann::json& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (value == "on" || value == "off") return value == "on";
    Refuse("one of " + AllowedWords<bool>() + ", true or false", DumpJson(value));
  }
  static nlohmann::json ToJson(bool value) { return ToWord(value); }
  static std::vector<std::string> Words() { return OptionSwitchWords(); }
};

template <typename T>
class PlainField : public OptionField {
 public:
  explicit PlainField(T& value) : value_(value) {}
  ValueKind kind() const override { return Value<T>::kKind; }
  bool IsOptional() const override { return false; }
  bool IsSet() const override { return true; }
  void SetText(const std::string& text) override { value_ = Value<T>::FromText(text); }
  void SetJson(const nlohmann::json& value) override { value_ = Value<T>::FromJson(value); }
  void Reset() override {}
  nlohmann::json ToJson() const override { return Value<T>::ToJson(value_); }
  bool* Flag() override {
    if constexpr (std::same_as<T, bool>) return &value_;
    return nullptr;
  }
  std::vector<std::string> Words() const override { return Value<T>::Words(); }

 private:
  T& value_;
};

template <typename T>
class OpenField : public OptionField {
 public:
  using Of = std::conditional_t<std::same_as<T, bool>, SwitchValue, Value<T>>;

  explicit OpenField(std::optional<T>& value) : value_(value) {}
  ValueKind kind() const override { return Of::kKind; }
  bool IsOptional() const override { return true; }
  bool IsSet() const override { return value_.has_value(); }
  // An empty text names nothing.
  void SetText(const std::string& text) override {
    if (std::same_as<T, std::string> && text.empty()) return value_.reset();
    value_ = Of::FromText(text);
  }
  void SetJson(const nlohmann::json& value) override { value_ = Of::FromJson(value); }
  void Reset() override { value_.reset(); }
  nlohmann::json ToJson() const override { return value_ ? Of::ToJson(*value_) : nullptr; }
  std::vector<std::string> Words() const override { return Of::Words(); }

 private:
  std::optional<T>& value_;
};

class TextsField : public OptionField {
 public:
  explicit TextsField(std::vector<std::string>& value) : value_(value) {}
  ValueKind kind() const override { return ValueKind::kTexts; }
  bool IsOptional() const override { return false; }
  bool IsSet() const override { return !value_.empty(); }
  void SetText(const std::string& text) override { value_.push_back(text); }
  void SetJson(const nlohmann::json& value) override {
    const nlohmann::json list = value.is_array() ? value : nlohmann::json::array({value});
    value_.clear();
    for (const nlohmann::json& text : list) value_.push_back(Value<std::string>::FromJson(text));
  }
  void Reset() override { value_.clear(); }
  nlohmann::json ToJson() const override { return value_; }

 private:
  std::vector<std::string>& value_;
};

// Texts that can be left open: an empty list is not the same as none.
class OpenTextsField : public OptionField {
 public:
  explicit OpenTextsField(std::optional<std::vector<std::string>>& value) : value_(value) {}
  ValueKind kind() const override { return ValueKind::kTexts; }
  bool IsOptional() const override { return true; }
  bool IsSet() const override { return value_.has_value(); }
  void SetText(const std::string& text) override {
    if (!value_) value_.emplace();
    value_->push_back(text);
  }
  void SetJson(const nlohmann::json& value) override {
    std::vector<std::string> texts;
    TextsField(texts).SetJson(value);
    value_ = std::move(texts);
  }
  void Reset() override { value_.reset(); }
  nlohmann::json ToJson() const override { return value_ ? nlohmann::json(*value_) : nullptr; }

 private:
  std::optional<std::vector<std::string>>& value_;
};

}  // namespace option_values

template <typename T>
std::unique_ptr<OptionField> MakeField(T& value) {
  return std::make_unique<option_values::PlainField<T>>(value);
}
template <typename T>
std::unique_ptr<OptionField> MakeField(std::optional<T>& value) {
  return std::make_unique<option_values::OpenField<T>>(value);
}
inline std::unique_ptr<OptionField> MakeField(std::vector<std::string>& value) {
  return std::make_unique<option_values::TextsField>(value);
}
inline std::unique_ptr<OptionField> MakeField(std::optional<std::vector<std::string>>& value) {
  return std::make_unique<option_values::OpenTextsField>(value);
}

}  // namespace spuna
