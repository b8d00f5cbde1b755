#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/model/model.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/review/review_list.h"
#include "pipelines/run/job_report.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// What a review has chosen.
struct ReviewReport {
  ReviewList list;
  /// Of the fit; not set where a model was given.
  std::optional<JobReport::Fit> fit;
  /// What was reviewed before.
  std::optional<JobReport::Review> review;
  /// How many rows were chosen, by why.
  std::map<std::string, std::int64_t> chosen;
  /// How many rows of the pool were reviewed before.
  std::int64_t reviewed_before = 0;
  /// Where page and list are, where they were asked for.
  std::optional<std::string> page;
  std::optional<std::string> table;
  SkippedFiles skipped;
  std::map<std::string, double> seconds;
  std::int64_t peak_memory_bytes = 0;

  std::vector<FitWarning> Warnings() const;
};
nlohmann::json ToJson(const ReviewReport& report);

/// Chooses rows, and writes what is asked for. `model` is chosen by, where it is not null, instead
/// of the job's. Throws what the algorithms throw.
arrow::Result<ReviewReport> RunReview(const ReviewJob& job, const Model* model, StageClock& clock);

}  // namespace spuna
