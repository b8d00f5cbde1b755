#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <string>

#include "pipelines/model/model.h"
#include "pipelines/options/options.h"
#include "pipelines/run/row_counts.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/source.h"

namespace spuna {

/// What rows that came after a fit say of its model.
struct ModelAge {
  /// Why a new fit is due; empty where it is not.
  std::string refit_reason;
  /// What the next look needs to know: a MonitorState. Null for a model that can't watch.
  nlohmann::json watch;
};

/// Holds new rows, of an input that was surveyed, against a model by the test of `monitor`. A new
/// fit is due
///
/// - where the fit has detected no shift: its model keeps every row, whatever comes;
/// - where more of the new rows are shifted than the fit had, by intervals that do not meet;
/// - where one in twenty of the new rows, and twice as many as before, are far from all trusted
///   rows: a kind that the fit has not seen.
struct EarlierRows {
  /// The `watch` of the look before this one, null at the first or where the model is another.
  nlohmann::json watch;
  /// All rows that were scored before.
  RowCounts counts;
};
arrow::Result<ModelAge> WatchNewRows(const Source& source, const Model& model,
                                     const ScoreOptions& scoring, const EarlierRows& before,
                                     StageClock& clock);

}  // namespace spuna
