#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipelines/options/options.h"
#include "pipelines/run/fit_summary.h"

namespace spuna {

/// What the user of a fit should know before trusting its result.
struct FitWarning {
  /// In a word or two: "shift", "few trusted rows", "trusted in pool" or "invalid rows".
  std::string about;
  std::string text;
};

/// The warnings of a fit on rows of some dimension. Options are spelled as on the command line.
std::vector<FitWarning> WarningsOf(const FitSummary& summary, const DecisionOptions& decision,
                                   std::int64_t dimension);

}  // namespace spuna
