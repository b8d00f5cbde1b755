#include "pipelines/options/option_list.h"

#include <algorithm>
#include <cmath>

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

arrow::Status Range::Check(const std::string& option, const json& value) const {
  if (!value.is_number()) return arrow::Status::OK();
  const auto number = value.get<double>();
  const bool is_between =
      number >= static_cast<double>(least) && number <= static_cast<double>(most);
  const std::string between = "between " + std::to_string(least) + " and " + std::to_string(most);
  bool fits = true;
  std::string expected;
  switch (kind) {
    case Kind::kAny:
      break;
    case Kind::kBetween:
      fits = is_between;
      expected = between;
      break;
    case Kind::kZeroOrBetween:
      fits = number == 0 || is_between;
      expected = between;
      break;
    case Kind::kShare:
      fits = number > 0 && number < 1;
      expected = "between 0 and 1";
      break;
    case Kind::kWithinOne:
      fits = number >= 0 && number <= 1;
      expected = "from 0 to 1";
      break;
    case Kind::kLevel:
      fits = number > 0 && number < 1;
      expected = "more than 0 and less than 1";
      break;
    case Kind::kFinite:
      fits = std::isfinite(number);
      expected = "a finite number";
      break;
    case Kind::kPositive:
      fits = std::isfinite(number) && number > 0;
      expected = "a positive number";
      break;
  }
  if (fits) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "`", option, "` must be ", expected, ", but is ",
      value.is_number_float() ? algorithms::FormatNumber(number) : value.dump());
}

bool Option::IsOf(Command command) const {
  CommandOptions options = CommandOptions::Of(command);
  return field(options) != nullptr;
}

std::unique_ptr<OptionField> Option::FieldIn(const CommandOptions& options) const {
  return field(const_cast<CommandOptions&>(options));
}

std::string Option::CallName() const {
  std::string written = name;
  std::ranges::replace(written, '-', '_');
  return written;
}

std::string Option::DefaultIn(Command command) const {
  const json value = FieldIn(CommandOptions::Of(command))->ToJson();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return algorithms::FormatNumber(value.get<double>());
  return value.is_number() ? value.dump() : "";
}

const std::vector<Option>& OptionList() {
  static const std::vector<Option> list = [] {
    std::vector<Option> all;
    for (const auto& lines : {InputLines(), OutputLines(), DecisionLines(), FindingsLines(),
                              MethodLines(), TrainingLines(), ColumnLines(), RunningLines()}) {
      all.insert(all.end(), lines.begin(), lines.end());
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
    if (option.effect == Effect::kNothing) continue;
    const auto field = option.FieldIn(options);
    if (field == nullptr) continue;
    const std::string& key =
        option.configuration_key.empty() ? option.name : option.configuration_key;
    const bool is_path = field->kind() == ValueKind::kText && field->IsOptional();
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
