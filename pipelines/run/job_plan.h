#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/run/job_report.h"

namespace spuna {

/// What a job would do, found out without doing it.
struct JobPlan {
  struct Output {
    std::string path;
    /// "directory", "file", "model", "labels", "reasons" or "report".
    std::string kind;
    /// The option that named it.
    std::string option;
  };

  /// Of the pool, or of the input to score.
  std::size_t num_files = 0;
  std::int64_t num_rows = 0;
  std::int64_t num_bytes = 0;
  std::int64_t dimension = 0;
  /// The rows that the fit would see, where there is one.
  std::optional<std::int64_t> fit_rows;
  std::vector<Output> outputs;
  /// What the rows would take where they are written, and what is free there.
  std::optional<std::int64_t> bytes_to_write;
  std::optional<std::int64_t> free_disk_bytes;
  /// At most, in bytes and seconds; of each part that the job has.
  std::optional<std::int64_t> fit_memory;
  std::optional<std::int64_t> score_memory;
  double free_memory = 0;
  std::optional<double> fit_seconds;
  std::optional<double> score_seconds;
  SkippedFiles skipped;
  /// Whether an earlier run has done it all, so that there would be nothing to do.
  bool was_done = false;
};

nlohmann::json ToJson(const JobPlan& plan);

}  // namespace spuna
