#include "pipelines/options/json_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "pipelines/options/call_words.h"
#include "pipelines/options/json_text.h"
#include "pipelines/options/option_list.h"
#include "pipelines/options/similar_name.h"

namespace spuna {
namespace {

using nlohmann::json;

// The command's option that a key means. Throws std::invalid_argument.
const Option& OptionOf(const std::string& key, Command command) {
  std::string name = key;
  std::ranges::replace(name, '_', '-');
  if (const Option* const option = FindOption(command, name)) {
    if (option->not_in_calls.empty()) return *option;
    throw std::invalid_argument("`" + option->CallName() + "` is for the command `spuna " +
                                NameOf(command) + "`: " + option->not_in_calls);
  }
  std::vector<std::string> names;
  for (const Option* option : OptionsOf(command)) {
    if (option->not_in_calls.empty()) names.push_back(option->CallName());
  }
  std::ranges::sort(names);
  std::string known;
  for (const std::string& other : names) known += (known.empty() ? "" : ", ") + other;
  std::ranges::replace(name, '-', '_');
  const std::string similar = SimilarName(name, names);
  throw std::invalid_argument("there is no option `" + key + "`; " +
                              (similar.empty() ? "" : "did you mean `" + similar + "`? ") +
                              "the options are " + known);
}

CommandOptions ParseOrThrow(const std::string& text, Command command) {
  CommandOptions options = CommandOptions::Of(command);
  const json parsed = text.empty() ? json::object() : json::parse(text);
  if (!parsed.is_object()) throw std::invalid_argument("options: expected a JSON object");
  for (const auto& [key, value] : parsed.items()) {
    const Option& option = OptionOf(key, command);
    if (value.is_null()) continue;
    try {
      option.field(options)->SetJson(value);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("`" + option.CallName() + "`: " + error.what());
    }
  }
  return options;
}

// The banks of a call's model are kept in what it returns, so no file is needed for them.
arrow::Status ValidateCall(CommandOptions options) {
  if (auto* const fit = std::get_if<FitJob>(&options.job)) fit->keep_banks = false;
  if (auto* const clean = std::get_if<CleanJob>(&options.job)) clean->fit.keep_banks = false;
  const arrow::Status valid = options.Validate();
  return valid.ok() ? valid : valid.WithMessage(InCallWords(valid.message()));
}

// What of the options differs from the default, for a call of another command.
std::string DumpFor(Command command, const CommandOptions& options) {
  const CommandOptions defaults = CommandOptions::Of(command);
  json dumped = json::object();
  for (const Option* option : OptionsOf(command)) {
    if (!option->not_in_calls.empty()) continue;
    const json value = option->FieldIn(options)->ToJson();
    if (value != option->FieldIn(defaults)->ToJson()) dumped[option->CallName()] = value;
  }
  return DumpJson(dumped);
}

}  // namespace

arrow::Result<CommandOptions> ParseJsonOptions(const std::string& text, Command command) {
  try {
    CommandOptions options = ParseOrThrow(text, command);
    ARROW_RETURN_NOT_OK(ValidateCall(options));
    return options;
  } catch (const json::exception& error) {
    return arrow::Status::Invalid("options: expected a JSON object: ", error.what());
  } catch (const std::invalid_argument& error) {
    return arrow::Status::Invalid(error.what());
  }
}

arrow::Result<CleanHalves> SplitCleanOptions(const std::string& text) {
  ARROW_ASSIGN_OR_RAISE(const CommandOptions options, ParseJsonOptions(text, Command::kClean));
  const auto& clean = std::get<CleanJob>(options.job);
  CommandOptions fit = CommandOptions::Of(Command::kFit);
  fit.running = options.running;
  std::get<FitJob>(fit.job).options = clean.Fitting();
  std::get<FitJob>(fit.job).keep_banks = clean.fit.keep_banks;
  CommandOptions score = CommandOptions::Of(Command::kScore);
  score.running = options.running;
  std::get<ScoreJob>(score.job).options = clean.Scoring();
  return CleanHalves{DumpFor(Command::kFit, fit), DumpFor(Command::kScore, score)};
}

}  // namespace spuna
