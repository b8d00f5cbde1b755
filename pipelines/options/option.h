#pragma once

#include <arrow/status.h>

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pipelines/options/job_descriptions.h"
#include "pipelines/options/option_field.h"

namespace spuna {

/// What an option decides.
enum class Effect {
  kRunning,  ///< how fast, where to, what is printed
  kExtra,    ///< what is written beside the rows; runs that add to an output may ask for another
  kOutput,   ///< what is written; it belongs to the configuration of a run
  kModel,    ///< the model; it belongs to the model's metadata too
};

/// The numbers that an option can be.
struct Range {
  enum class Kind {
    kAny,
    kBetween,
    kZeroOrBetween,
    kShare,
    kWithinOne,
    kLevel,
    kFinite,
    kPositive
  };
  Kind kind = Kind::kAny;
  std::int64_t least = 0;
  std::int64_t most = 0;

  /// An error that names the option, its range and its value.
  arrow::Status Check(const std::string& option, const nlohmann::json& value) const;
};

/// One option of one or more commands: all that any interface has to know of it.
struct Option {
  /// As on the command line, without "--"; other interfaces write '_' for '-'.
  std::string name;
  /// What it does, in a line.
  std::string help;

  /// What documentation adds to it.
  std::string notes = {};
  /// What the value is called in help texts: PATH, COLUMN; empty where its kind tells.
  std::string value_name = {};
  /// How it is chosen where it is not set; empty where its default is a value.
  std::string rule = {};
  Range range = {};
  Effect effect = Effect::kRunning;
  /// Its key in the configuration of a run where that is not its name.
  std::string configuration_key = {};
  bool is_required = false;
  /// Whether one text holds several values, with commas.
  bool splits_at_commas = false;
  /// The first model format that has it; models of older formats take the default.
  int since_format = 3;
  /// Why calls from other languages do not offer it; empty where they do.
  std::string not_in_calls = {};

  /// The heading under which it is listed.
  std::string group = {};
  /// The commands that have it; set by the list.
  std::vector<Command> commands = {};

  /// Its field in what the options of a command fill; null for commands that don't have it.
  std::function<std::unique_ptr<OptionField>(CommandOptions&)> field;

  /// Whether a command has it.
  bool IsOf(Command command) const;
  /// Its field in options of a command that has it; not to be set.
  std::unique_ptr<OptionField> FieldIn(const CommandOptions& options) const;
  /// The name as other languages write it.
  std::string CallName() const;
  /// Its default in a command that has it, as text; empty where it is open, false or empty.
  std::string DefaultIn(Command command) const;
};

}  // namespace spuna
