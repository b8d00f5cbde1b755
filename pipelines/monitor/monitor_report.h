#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/monitor/monitor_state.h"
#include "pipelines/options/options.h"
#include "pipelines/run/decision.h"
#include "pipelines/run/fit_warnings.h"
#include "pipelines/run/row_counts.h"

namespace spuna {

/// The result of watching a batch, and all batches up to it.
struct MonitorReport {
  MonitorOptions options;
  RowCounts counts;
  Decision decision;
  /// What to know of the model.
  std::vector<FitWarning> model_warnings;
  std::size_t num_files = 0;
  /// The batches up to now, this one last.
  std::vector<WatchedBatch> history;
  /// The valid rows of all batches.
  std::uint64_t rows_watched = 0;
  double p_value = 1;
  std::string model_hash;
  std::map<std::string, double> seconds = {};
  std::int64_t peak_memory_bytes = 0;

  const WatchedBatch& batch() const { return history.back(); }
  bool found() const { return batch().found; }
};

nlohmann::json ToJson(const MonitorReport& report);

/// The batch as OpenMetrics text.
std::string ToOpenMetrics(const MonitorReport& report);

/// What RenderReportPage makes a page of.
nlohmann::json ToReportPage(const MonitorReport& report);

}  // namespace spuna
