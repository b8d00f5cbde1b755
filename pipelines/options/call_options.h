#pragma once

#include <arrow/result.h>

#include <string>

#include "pipelines/fit/fit.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// What a call from another language asks for.
enum class Call { kFit, kScore, kClean };

/// All options of such a call.
struct CallOptions {
  FitOptions fit;
  FitExtras extras;
  ScoreOptions score;
  int num_threads = DefaultThreads();
};

/// Reads options from a JSON object whose keys are the command's options, with '_' or '-':
/// {"alpha": 20, "on_stop": "rollback", "threads": 2}. An empty text is an empty object, and null
/// stands for the default. A key that the call does not know, a value of another kind and a value
/// that can't be used are errors.
arrow::Result<CallOptions> ParseCallOptions(const std::string& text, Call call);

}  // namespace spuna
