#include "pipelines/options/option_list.h"

#include <stdexcept>
#include <utility>

#include "arrow_io/uri.h"
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

// The field of a path: every interface that fills it may give a file:// URI.
class PathField : public OptionField {
 public:
  explicit PathField(std::unique_ptr<OptionField> field) : field_(std::move(field)) {}

  ValueKind kind() const override { return field_->kind(); }
  bool IsOptional() const override { return field_->IsOptional(); }
  bool IsSet() const override { return field_->IsSet(); }
  void SetText(const std::string& text) override { field_->SetText(Resolve(text)); }
  void SetJson(const json& value) override {
    json resolved = value;
    if (resolved.is_string()) resolved = Resolve(resolved.get<std::string>());
    if (resolved.is_array()) {
      for (json& text : resolved) {
        if (text.is_string()) text = Resolve(text.get<std::string>());
      }
    }
    field_->SetJson(resolved);
  }
  void Reset() override { field_->Reset(); }
  json ToJson() const override { return field_->ToJson(); }

 private:
  static std::string Resolve(const std::string& text) {
    arrow::Result<std::string> path = arrow_io::LocalPath(text);
    if (!path.ok()) throw std::invalid_argument(path.status().message());
    return *std::move(path);
  }

  std::unique_ptr<OptionField> field_;
};

// Lets an option that names a path take file:// URIs.
void ResolvePaths(Option& option) {
  if (option.value_name != "PATH") return;
  option.field = [find = option.field](CommandOptions& options) -> std::unique_ptr<OptionField> {
    auto field = find(options);
    if (field == nullptr) return nullptr;
    return std::make_unique<PathField>(std::move(field));
  };
}

}  // namespace

const std::vector<Option>& OptionList() {
  static const std::vector<Option> list = [] {
    std::vector<Option> all;
    for (const auto& lines :
         {InputLines(), FileNameLines(), OutputLines(), UpdateLines(), OutputColumnLines(),
          LayoutLines(), DecisionLines(), FarLines(), FindingsLines(), ReviewLines(), MethodLines(),
          TrainingLines(), ColumnLines(), RunningLines()}) {
      all.insert(all.end(), lines.begin(), lines.end());
    }
    for (Option& option : all) ResolvePaths(option);
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

json DescribeResult(const CommandOptions& options, bool extras) {
  json described = json::object();
  for (const Option& option : OptionList()) {
    if (option.effect == Effect::kRunning || (option.effect == Effect::kExtra && !extras)) continue;
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
