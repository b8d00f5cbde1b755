#pragma once

#include <arrow/result.h>

#include <map>
#include <string>

#include "pipelines/fit/fit.h"
#include "pipelines/model/model.h"
#include "pipelines/score/score_output.h"

namespace spuna {

/// How long a fit will take, told from two small fits on rows from all over the pool.
struct FitCalibration {
  /// Seconds by stage, and their sum.
  std::map<std::string, double> seconds;
  double total = 0;
  /// The model of the larger of the two.
  Model model;
};

/// The pool must have been surveyed.
arrow::Result<FitCalibration> CalibrateFit(const FitRequest& request, BadFiles& bad_files,
                                           const Runtime& runtime);

/// How long scoring will take, in seconds: told from a part of one file, which is scored and
/// written to a temporary file beside `output`.
arrow::Result<double> CalibrateScore(const ScoreRequest& request, const std::string& output,
                                     const Runtime& runtime);

/// Seconds at `size`, from those at two smaller sizes, of work that grows like `steep` and `flat`
/// together, which are what the two terms come to at the three sizes. Exposed for tests.
struct Growth {
  double steep[3];
  double flat[3];
};
double Extrapolate(const double seconds[2], const Growth& growth);

}  // namespace spuna
