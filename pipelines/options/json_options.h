#pragma once

#include <arrow/result.h>

#include <string>

#include "pipelines/options/job_descriptions.h"

namespace spuna {

/// The options of a call from another language, from a JSON object whose keys are the command's
/// options, with '_' or '-': {"alpha": 20, "on_stop": "rollback", "threads": 2}. An empty text is
/// an empty object, and null stands for the default. A key that the command does not have or a call
/// can't offer, a value of another kind and a value that can't be used are errors. The options
/// are those of the named command: fit, score or clean.
arrow::Result<CommandOptions> ParseJsonOptions(const std::string& text, Command command);

/// The two halves of the options of a clean, as calls of fit and of score take them.
struct CleanHalves {
  std::string fit;
  std::string score;
};
arrow::Result<CleanHalves> SplitCleanOptions(const std::string& text);

}  // namespace spuna
