#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pipelines/options/options.h"
#include "pipelines/run/decision.h"
#include "pipelines/run/fit_summary.h"
#include "pipelines/run/row_counts.h"

namespace spuna {

/// What the user of a fit should know before trusting its result.
struct FitWarning {
  /// In a word or two: docs/warnings.md lists them all.
  std::string about;
  std::string text;
};

/// {`about`, `text`}.
nlohmann::json ToJson(const FitWarning& warning);

/// The warnings of a fit on rows of some dimension. Options are spelled as on the command line.
std::vector<FitWarning> WarningsOf(const FitSummary& summary, const FitOptions& options,
                                   std::int64_t dimension);

/// That a model can't tell far rows.
FitWarning WarningOfNoDistance();

/// What to know of a model that scores or watches rows: that its fit detected no shift, or that it
/// can't tell far rows though it should.
std::vector<FitWarning> WarningsOfModel(const FitSummary& summary, const Decision& decision,
                                        bool lacks_distance);

/// What to know where nearly all valid rows are dropped, and `--keep-share` did not ask for it.
std::optional<FitWarning> WarningOfDropped(const RowCounts& counts, const Decision& decision);

}  // namespace spuna
