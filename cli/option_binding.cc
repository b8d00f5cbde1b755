#include "cli/option_binding.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace spuna::cli {
namespace {

// What looks like an option is taken for a value that was forgotten.
std::string RefuseOptions(const std::string& text) {
  return text.starts_with("--") ? "expected a value but found the option " + text : std::string();
}

// "a,b" as "a" and "b"; empty names are left out. A list of a configuration file comes as several
// texts.
void SetSplit(const std::vector<std::string>& texts, OptionField& field) {
  nlohmann::json names = nlohmann::json::array();
  for (const std::string& text : texts) {
    std::istringstream stream(text);
    for (std::string name; std::getline(stream, name, ',');) {
      if (!name.empty()) names.push_back(name);
    }
  }
  field.SetJson(names);
}

CLI::Option* BindTexts(const std::string& name, const std::shared_ptr<OptionField>& field,
                       const std::string& help, bool splits, CLI::App& app) {
  auto set = [field, name, splits](const std::vector<std::string>& texts) {
    try {
      field->Reset();
      if (splits) {
        SetSplit(texts, *field);
      } else {
        for (const std::string& text : texts) field->SetText(text);
      }
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(name, error.what());
    }
  };
  CLI::Option* const bound = app.add_option_function<std::vector<std::string>>(name, set, help);
  // With commas, one text is enough.
  return bound->allow_extra_args(!splits);
}

CLI::Option* BindText(const std::string& name, const std::shared_ptr<OptionField>& field,
                      const std::string& help, CLI::App& app) {
  auto set = [field, name](const std::string& text) {
    try {
      field->SetText(text);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(name, error.what());
    }
  };
  return app.add_option_function<std::string>(name, set, help);
}

}  // namespace

CLI::Option* BindOption(const Option& option, Command command,
                        const std::shared_ptr<OptionField>& field, CLI::App& app) {
  const bool is_positional = command == Command::kInspect && option.is_required;
  const std::string name = is_positional ? option.name : "--" + option.name;
  const std::string help = option.help + (option.rule.empty() ? "" : " [" + option.rule + "]");
  const ValueKind kind = field->kind();
  // CLI11 reads flags itself: given or not, or with a value, as in --drop=false.
  if (bool* const flag = field->Flag()) {
    return app.add_flag(name, *flag, help)->group(option.group);
  }
  CLI::Option* const bound = kind == ValueKind::kTexts
                                 ? BindTexts(name, field, help, option.splits_at_commas, app)
                                 : BindText(name, field, help, app);
  if (kind == ValueKind::kWord) bound->check(CLI::IsMember(field->Words()));
  if (kind == ValueKind::kText || kind == ValueKind::kTexts) bound->check(RefuseOptions);
  const bool is_number = kind == ValueKind::kNumber || kind == ValueKind::kWhole;
  bound->type_name(!option.value_name.empty() ? option.value_name : is_number ? "NUMBER" : "WORD");
  const std::string value = option.DefaultIn(command);
  if (!value.empty()) bound->default_str(value);
  return bound->group(option.group);
}

}  // namespace spuna::cli
