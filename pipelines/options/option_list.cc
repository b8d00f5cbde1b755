#include "pipelines/options/option_list.h"

#include <stdexcept>
#include <utility>

#include "pipelines/options/option_lines_internal.h"

namespace spuna {

using nlohmann::json;

namespace {

// What stands for an option that is left to be chosen.
constexpr const char* kChosen = "auto";

template <typename Job>
CommandOptions WithJob(Job job) {
  CommandOptions options;
  options.job = std::move(job);
  return options;
}

}  // namespace

const std::vector<Option>& OptionList() {
  static const std::vector<Option> list = [] {
    std::vector<Option> all;
    for (const auto& lines :
         {InputLines(), OutputLines(), OutputColumnLines(), DecisionLines(), FarLines(),
          FindingsLines(), MethodLines(), TrainingLines(), ColumnLines(), RunningLines()}) {
      all.insert(all.end(), lines.begin(), lines.end());
    }
    for (const Command command : kCommands) {
      CommandOptions options = CommandOptions::Of(command);
      for (Option& option : all) {
        if (option.field(options) != nullptr) option.commands.push_back(command);
      }
    }
    return all;
  }();
  return list;
}

std::vector<const Option*> OptionsOf(Command command) {
  std::vector<const Option*> options;
  for (const Option& option : OptionList()) {
    if (option.IsOf(command)) options.push_back(&option);
  }
  return options;
}

const Option* FindOption(Command command, const std::string& name) {
  for (const Option& option : OptionList()) {
    if (option.name == name && option.IsOf(command)) return &option;
  }
  return nullptr;
}

arrow::Status CheckRanges(const CommandOptions& options) {
  for (const Option& option : OptionList()) {
    if (option.range.kind == Range::Kind::kAny) continue;
    const auto field = option.FieldIn(options);
    if (field != nullptr) ARROW_RETURN_NOT_OK(option.range.Check(option.name, field->ToJson()));
  }
  return arrow::Status::OK();
}

json ToJson(const FitOptions& options) {
  FitJob job;
  job.options = options;
  const CommandOptions filled = WithJob(std::move(job));
  json stored = json::object();
  for (const Option& option : OptionList()) {
    if (option.effect != Effect::kModel) continue;
    const auto field = option.FieldIn(filled);
    if (field != nullptr) stored[option.name] = field->IsSet() ? field->ToJson() : json(kChosen);
  }
  return stored;
}

FitOptions FitOptionsFromJson(const json& stored, int format) {
  CommandOptions options = CommandOptions::Of(Command::kFit);
  for (const Option& option : OptionList()) {
    if (option.effect != Effect::kModel) continue;
    const auto field = option.field(options);
    if (field == nullptr || (option.since_format > format && !stored.contains(option.name))) {
      continue;
    }
    if (!stored.contains(option.name)) {
      throw std::invalid_argument("its options lack `" + option.name + "`; the file is damaged");
    }
    const json& value = stored.at(option.name);
    if (field->IsOptional() && value == kChosen) {
      field->Reset();
    } else {
      field->SetJson(value);
    }
  }
  return std::get<FitJob>(options.job).options;
}

json DescribeResult(const CommandOptions& options) {
  json described = json::object();
  for (const Option& option : OptionList()) {
    if (option.effect == Effect::kRunning) continue;
    const auto field = option.FieldIn(options);
    if (field == nullptr) continue;
    const std::string& key =
        option.configuration_key.empty() ? option.name : option.configuration_key;
    const bool is_path = option.value_name == "PATH";
    if (is_path) {
      described[key] = field->IsSet();
    } else if (field->IsSet() || !field->IsOptional()) {
      described[key] = field->ToJson();
    } else if (option.effect == Effect::kModel) {
      described[key] = kChosen;
    }
  }
  return described;
}

}  // namespace spuna
