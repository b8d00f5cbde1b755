#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/model/decision.h"
#include "pipelines/monitor/monitor_state.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"
#include "pipelines/score/row_scorer.h"

namespace spuna {

/// How a batch is watched.
struct MonitorOptions {
  /// The embedding column; empty chooses the model's.
  std::string embedding;
  InvalidRows invalid = InvalidRows::kNull;
  /// The probability of ever finding a shift where there is none.
  double level = 0.05;

  arrow::Status Validate() const;
};

/// Watch a batch of new rows of a deployment for shift.
struct MonitorJob {
  std::string model;
  std::vector<std::string> input;
  /// The file that remembers the batches before this one; without it the batch stands alone.
  std::optional<std::string> state;
  /// A file of OpenMetrics text, and a page with the history; both are replaced.
  std::optional<std::string> metrics;
  std::optional<std::string> report;
  MonitorOptions options;
};

/// What a batch, and all batches up to it, have to say.
struct MonitorReport {
  MonitorOptions options;
  RowCounts counts;
  Decision decision;
  std::size_t num_files = 0;
  /// The batches up to now, this one last.
  std::vector<WatchedBatch> history;
  /// The valid rows of all batches.
  std::uint64_t rows_watched = 0;
  double p_value = 1;
  std::string model_hash;
  std::map<std::string, double> seconds;
  std::int64_t peak_memory_bytes = 0;

  const WatchedBatch& batch() const { return history.back(); }
  bool found() const { return batch().found; }
};

/// Watches a batch. It is an error where no row of it is valid, and where the model holds nothing
/// to watch with. The state changes last, after all else was written: a run that failed or was
/// killed can be repeated, and never counts twice.
arrow::Result<MonitorReport> Run(const MonitorJob& job, const Runtime& runtime);

nlohmann::json ToJson(const MonitorReport& report);

/// The batch as OpenMetrics text.
std::string ToOpenMetrics(const MonitorReport& report);

/// What RenderReportPage makes a page of.
nlohmann::json ToReportPage(const MonitorReport& report);

}  // namespace spuna
