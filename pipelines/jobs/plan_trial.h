#pragma once

#include <arrow/result.h>

#include <map>
#include <string>

#include "pipelines/fit/file_fit.h"
#include "pipelines/model/model.h"
#include "pipelines/score/lake_scorer.h"

namespace spuna {

/// How long a fit will take, estimated from two small fits on rows from all over the pool.
struct FitTrial {
  /// Seconds by stage, and their sum.
  std::map<std::string, double> seconds;
  double total = 0;
  /// The model of the larger of the two.
  Model model;
};

/// The inputs must have been surveyed.
arrow::Result<FitTrial> TryFit(const FitRequest& request, const Runtime& runtime);

/// How long scoring will take, in seconds: estimated from a part of one file, which is scored and
/// written to a temporary file beside `output`.
arrow::Result<double> TryScore(const ScoreRequest& request, const std::string& output,
                               const Runtime& runtime);

}  // namespace spuna
