#include "pipelines/options/option_docs.h"

#include <nlohmann/json.hpp>

#include "pipelines/options/option_list.h"

namespace spuna {
namespace {

const char* NameOf(ValueKind kind) {
  switch (kind) {
    case ValueKind::kFlag:
      return "flag";
    case ValueKind::kNumber:
      return "number";
    case ValueKind::kWhole:
      return "whole";
    case ValueKind::kWord:
      return "word";
    case ValueKind::kText:
      return "text";
    case ValueKind::kTexts:
      break;
  }
  return "texts";
}

}  // namespace

nlohmann::json DescribeOptions() {
  nlohmann::json described = nlohmann::json::array();
  for (const Option& option : OptionList()) {
    nlohmann::json names = nlohmann::json::array();
    for (const Command command : option.commands) names.push_back(NameOf(command));
    const CommandOptions defaults = CommandOptions::Of(option.commands.front());
    const auto field = option.FieldIn(defaults);
    described.push_back(
        {{"name", option.name},
         {"call_name", option.CallName()},
         {"group", option.group},
         {"help", option.help},
         {"notes", option.notes},
         {"value_name", option.value_name},
         {"kind", NameOf(field->kind())},
         {"words", field->Words()},
         // What depends on the machine is described by its rule.
         {"default", option.rule.empty() ? option.DefaultIn(option.commands.front()) : ""},
         {"rule", option.rule},
         {"commands", names},
         {"is_required", option.is_required},
         {"not_in_calls", option.not_in_calls}});
  }
  return described;
}

}  // namespace spuna
