#pragma once

#include <arrow/result.h>

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/evaluate.h"
#include "pipelines/model.h"
#include "pipelines/options.h"
#include "pipelines/row_scorer.h"
#include "pipelines/runtime.h"

namespace spuna {

/// Fit on files, and write what is named.
struct FitJob {
  std::vector<std::string> trusted;
  std::vector<std::string> pool;
  std::optional<std::string> model;
  std::optional<std::string> labels;
  bool keep_banks = false;
  FitOptions options;
  /// The prefix of our columns in the labels file, and whether outputs may be replaced.
  std::string prefix = "spuna_";
  bool overwrite = false;
  /// Whether to start even if there seems to be too little memory.
  bool force = false;
};

/// Score files with a fitted model. "-" as the output writes the rows to standard output as an
/// Arrow IPC stream; "-" as the only input reads one from standard input, and needs "-" as the
/// output.
struct ScoreJob {
  std::string model;
  std::vector<std::string> input;
  std::string output;
  ScoreOptions options;
};

/// Fit on files, then score the pool.
struct CleanJob {
  FitJob fit;
  std::string output;
  bool drop = false;
};

/// Compare a column of scores with a column of truth.
struct EvaluateJob {
  std::vector<std::string> input;
  std::string truth;
  std::string score = "spuna_score";
};

/// What a job has to say. Every part that belongs to the job is set.
struct JobReport {
  struct Fit {
    FitOptions options;
    FitSummary summary;
    std::int64_t dimension = 0;
  };
  struct Score {
    RowCounts counts;
    double threshold = 0;
    std::size_t num_files = 0;
    ScoreBy by = ScoreBy::kClassifier;
    /// Whether the dropped rows were left out of the output.
    bool drop = false;
  };

  std::optional<Fit> fit;
  std::optional<Score> score;
  std::map<std::string, double> seconds;
  std::int64_t peak_memory_bytes = 0;
};

/// Runs a job. Every output is checked before the work starts, made as a temporary sibling, and
/// renamed when all are complete: a job that fails or is cancelled leaves nothing behind.
arrow::Result<JobReport> Run(const FitJob& job, const Runtime& runtime);
arrow::Result<JobReport> Run(const ScoreJob& job, const Runtime& runtime);
arrow::Result<JobReport> Run(const CleanJob& job, const Runtime& runtime);
arrow::Result<Evaluation> Run(const EvaluateJob& job, const Runtime& runtime);

/// The reports as one object each.
nlohmann::json ToJson(const JobReport& report);
nlohmann::json ToJson(const Evaluation& evaluation);

}  // namespace spuna
