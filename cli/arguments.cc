#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/config_file.h"
#include "cli/exit_codes.h"
#include "cli/option_binding.h"
#include "pipelines/options/similar_name.h"
#include "pipelines/run/runtime.h"

namespace spuna::cli {
namespace {

constexpr std::pair<Command, const char*> kDescriptions[] = {
    {Command::kFit, "Fit a model on trusted rows and a pool"},
    {Command::kScore, "Score rows with a fitted model"},
    {Command::kClean, "Fit on a pool, then score the pool"},
    {Command::kReview, "Choose rows for a person to look at, and make a page to say what they are"},
    {Command::kEvaluate, "Compare scores with a column of truth"},
    {Command::kMonitor,
     "Watch batches of new rows for shift; the exit code is 3 where it is detected"},
    {Command::kInspect, "Show what a model says of itself"},
};

// "; did you mean `x`?", where a name is close to one of these.
std::string Suggest(const std::string& mistyped, const std::vector<std::string>& names,
                    const std::string& before = "") {
  const std::string similar = SimilarName(mistyped, names);
  return similar.empty() ? "" : "; did you mean `" + before + similar + "`?";
}

// One command of the command line, with the options that it fills.
struct CommandLine {
  CommandOptions options;
  CLI::App* app = nullptr;
  std::map<std::string, CLI::Option*> bound;
  std::vector<const CLI::Option*> required;

  CommandLine(Command command, const std::string& description, CLI::App& parent)
      : options(CommandOptions::Of(command)),
        app(parent.add_subcommand(NameOf(command), description)) {
    for (const Option* option : OptionsOf(command)) {
      const std::shared_ptr<OptionField> field = option->field(options);
      CLI::Option* const added = BindOption(*option, command, field, *app);
      bound[option->name] = added;
      // They may come from the configuration file, so they are checked after it.
      if (option->is_required) required.push_back(added);
    }
  }
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    names.reserve(bound.size());
    for (const auto& [name, option] : bound) names.push_back(name);
    return names;
  }

  void CheckRequired() const {
    for (const CLI::Option* option : required) {
      if (option->count() > 0) continue;
      throw UsageError(
          "`" + option->get_name() + "` is required; see `spuna " + app->get_name() + " --help`",
          kWrongUsage);
    }
  }
};

class ArgumentParser {
 public:
  ArgumentParser() : app_("Finds the shifted rows of a Parquet lake, given rows you trust.") {
    app_.name("spuna");
    app_.require_subcommand(1);
    app_.get_formatter()->column_width(34);
    std::string versions;
    for (const auto& [name, version] : Versions()) {
      if (name != "spuna") versions += (versions.empty() ? "" : ", ") + name + " " + version;
    }
    app_.set_version_flag("--version", "spuna " + SpunaVersion() + " (" + versions + ")");
    for (const auto& [command, description] : kDescriptions) {
      commands_.push_back(std::make_unique<CommandLine>(command, description, app_));
    }
    // The words are changed before they are parsed (PlanAsDryRun); this is for the help.
    app_.add_subcommand("plan",
                        "Report what fit, score or clean would write, and its memory and time: "
                        "`spuna plan clean …` is `spuna clean --dry-run …`");
    app_.footer("Run `spuna COMMAND --help` for the options of a command.");
  }

  CommandOptions Parse(const std::vector<std::string>& words) {
    try {
      // CLI11 takes them from the back.
      app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
      CommandLine& command = *Chosen();
      ApplyConfig(command);
      command.CheckRequired();
      return command.options;
    } catch (const CLI::ParseError& error) {
      throw ToUsageError(error, words);
    }
  }

 private:
  // The command that was given; null where none was.
  CommandLine* Chosen() {
    const std::vector<CLI::App*> given = app_.get_subcommands();
    for (const auto& command : commands_) {
      if (!given.empty() && command->app == given.front()) return command.get();
    }
    return nullptr;
  }

  // Values of the file stand in for options that the command line leaves out. One file may serve
  // several commands: names that belong to another command are passed over.
  void ApplyConfig(CommandLine& command) {
    const std::string& config = command.options.running.config;
    if (config.empty()) return;
    for (const auto& [name, value] : ReadConfigFile(config)) {
      const auto bound = command.bound.find(name);
      if (bound == command.bound.end() || name == "config") {
        RequireElsewhere(name, value.where, command);
        continue;
      }
      CLI::Option* const option = bound->second;
      if (option->count() > 0 || value.texts.empty()) continue;
      try {
        for (const std::string& text : value.texts) {
          option->add_result(AsWord(text, name, command));
        }
        option->run_callback();
      } catch (const CLI::ParseError& error) {
        throw UsageError(value.where + ": " + error.what(), kWrongUsage);
      }
    }
  }

  // A switch is on or off on the command line; in a file it may be true or false too.
  static std::string AsWord(const std::string& text, const std::string& name,
                            const CommandLine& command) {
    const Option* const option = FindOption(command.options.command(), name);
    const bool is_switch = option->FieldIn(command.options)->Words() == OptionSwitchWords();
    if (!is_switch) return text;
    return text == "true" ? "on" : text == "false" ? "off" : text;
  }

  // An error where no command has an option of this name.
  void RequireElsewhere(const std::string& name, const std::string& where,
                        const CommandLine& command) const {
    const bool is_known =
        name != "config" && std::ranges::any_of(commands_, [&](const auto& other) {
          return other->bound.contains(name);
        });
    if (is_known) return;
    throw UsageError(where + ": there is no option '" + name + "'" + Suggest(name, command.Names()),
                     kWrongUsage);
  }

  UsageError ToUsageError(const CLI::ParseError& error, const std::vector<std::string>& words) {
    std::ostringstream out;
    std::ostringstream err;
    if (app_.exit(error, out, err) == 0) return {out.str(), kDone};
    const CommandLine* const command = Chosen();
    if (command == nullptr) return UnknownCommand(words.empty() ? "" : words.front());
    std::string message = error.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
      message += SuggestOption(words, *command);
    }
    return {message, kWrongUsage};
  }

  // For the first word that looks like an option and is none.
  static std::string SuggestOption(const std::vector<std::string>& words,
                                   const CommandLine& command) {
    for (const std::string& word : words) {
      if (!word.starts_with("--")) continue;
      const std::string name = word.substr(2, word.find('=') - 2);
      if (!command.bound.contains(name)) return Suggest(name, command.Names(), "--");
    }
    return "";
  }

  UsageError UnknownCommand(const std::string& first_word) const {
    std::vector<std::string> names;
    std::string listed;
    for (const auto& command : commands_) {
      names.push_back(command->app->get_name());
      listed += (listed.empty() ? "" : ", ") + names.back();
    }
    names.emplace_back("plan");
    listed += ", plan";
    const bool is_word = !first_word.empty() && !first_word.starts_with('-');
    const std::string suggestion = is_word ? Suggest(first_word, names) : "";
    return {(is_word ? "there is no command '" + first_word + "'" : "a command is required") +
                suggestion + (suggestion.empty() ? "; the" : " The") + " commands are " + listed,
            kWrongUsage};
  }

  CLI::App app_;
  std::vector<std::unique_ptr<CommandLine>> commands_;
};

// `plan` is the dry run of the command that follows, or of the one that the options belong to.
std::vector<std::string> PlanAsDryRun(std::vector<std::string> words) {
  if (words.empty() || words.front() != "plan") return words;
  words.erase(words.begin());
  auto has = [&](const std::string& option) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      return word == option || word.starts_with(option + "=");
    });
  };
  if (words.empty() || words.front().starts_with('-')) {
    words.insert(words.begin(), has("--input") ? "score" : has("--out") ? "clean" : "fit");
  }
  words.insert(words.begin() + 1, "--dry-run");
  return words;
}

}  // namespace

CommandOptions ParseArguments(int argc, const char* const* argv) {
  return ArgumentParser().Parse(PlanAsDryRun({argv + 1, argv + std::max(argc, 1)}));
}

}  // namespace spuna::cli
