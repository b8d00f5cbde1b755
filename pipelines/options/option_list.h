#pragma once

#include <arrow/status.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pipelines/options/job_descriptions.h"
#include "pipelines/options/option.h"

namespace spuna {

/// Every option of every command, each in one place: the command line, configuration files, calls
/// from other languages, validation, the model's metadata, the configuration of a run and the
/// documentation are made from it.
const std::vector<Option>& OptionList();

/// Those of a command, in the order of the list.
std::vector<const Option*> OptionsOf(Command command);

/// The one that a command has under a name; null where there is none.
const Option* FindOption(Command command, const std::string& name);

/// The error of the first option whose number is out of its range; OK where there is none.
arrow::Status CheckRanges(const CommandOptions& options);

/// What decides the model, by the options' names; "auto" for what is left to be chosen.
nlohmann::json ToJson(const FitOptions& options);

/// The options of a model file of some format, as ToJson has them. Throws std::invalid_argument
/// where they can't be read.
FitOptions FitOptionsFromJson(const nlohmann::json& stored, int format);

/// What of the options decides the output of a command, by their names. Of an output only whether
/// it is asked for. Without `extras` what is written beside the rows is left out.
nlohmann::json DescribeResult(const CommandOptions& options, bool extras = true);

}  // namespace spuna
