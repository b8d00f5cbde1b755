#pragma once

#include <arrow/result.h>

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/findings/shift_distance.h"
#include "pipelines/model/model.h"
#include "pipelines/options/options.h"
#include "pipelines/report/group_counts.h"
#include "pipelines/run/runtime.h"
#include "pipelines/score/evaluate.h"
#include "pipelines/score/row_scorer.h"

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
  OnBadFile on_bad_file = OnBadFile::kError;
  /// How long a fit goes on before it writes down where it is.
  double checkpoint_seconds = 1;
};

/// Score files with a fitted model. "-" as the output writes the rows to standard output as an
/// Arrow IPC stream; "-" as the only input reads one from standard input, and needs "-" as the
/// output.
struct ScoreJob {
  std::string model;
  std::vector<std::string> input;
  std::string output;
  /// Where the rows go that are dropped; needs `options.drop`.
  std::optional<std::string> dropped;
  ScoreOptions options;
  OnBadFile on_bad_file = OnBadFile::kError;
};

/// Fit on files, then score the pool.
struct CleanJob {
  FitJob fit;
  std::string output;
  bool drop = false;
  /// Whether there is a column of p-values; it makes the fit a calibrated one.
  bool p_values = false;
  /// A Parquet file to write, of why rows are dropped, and an HTML page to look at.
  std::optional<std::string> reasons;
  std::optional<std::string> report;
  /// What they are told by: columns to count rows by, the column of ids, that of the truth and that
  /// of pictures; empty for none.
  std::vector<std::string> group_by;
  std::string id;
  std::string truth;
  std::string image;

  /// Whether the pool must be looked at once more when it has been scored.
  bool Examines() const { return reasons || report || !group_by.empty(); }
  /// Where the rows go that are dropped; needs `drop`.
  std::optional<std::string> dropped;
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
    Decision decision;
    std::size_t num_files = 0;
    ScoreBy by = ScoreBy::kClassifier;
    /// Whether the dropped rows were left out of the output.
    bool drop = false;
  };

  /// How many rows of each group were dropped, by column.
  struct Groups {
    std::string column;
    std::vector<GroupCount> groups;
  };

  std::optional<Fit> fit;
  std::optional<Score> score;
  std::vector<Groups> groups;
  /// How far the dropped rows are from the trusted ones, where reasons or a report were asked for,
  /// and how many kinds of them there are.
  std::optional<algorithms::ShiftDistance> distance;
  std::vector<std::int64_t> kinds;
  /// Where reasons and report are, where they were asked for.
  std::optional<std::string> reasons;
  std::optional<std::string> page;
  /// The files that could not be read, by relative path, and why.
  std::map<std::string, std::string> skipped;
  /// Whether an earlier run had done it all, so that there was nothing to do.
  bool was_done = false;
  std::map<std::string, double> seconds;
  std::int64_t peak_memory_bytes = 0;
};

/// Runs a job. Every output is checked before the work starts, and every file appears whole or not
/// at all. A job that was stopped, by a kill at any moment, goes on where it was when it is run
/// again, to the same result: a directory keeps the files that are finished, a fit its last round.
arrow::Result<JobReport> Run(const FitJob& job, const Runtime& runtime);
arrow::Result<JobReport> Run(const ScoreJob& job, const Runtime& runtime);
arrow::Result<JobReport> Run(const CleanJob& job, const Runtime& runtime);
arrow::Result<Evaluation> Run(const EvaluateJob& job, const Runtime& runtime);

/// The reports as one object each.
nlohmann::json ToJson(const JobReport& report);
nlohmann::json ToJson(const Evaluation& evaluation);
nlohmann::json ToJson(const GroupCount& group);

/// Skipped files as a list of {`path`, `reason`}.
nlohmann::json SkippedToJson(const std::map<std::string, std::string>& skipped);

}  // namespace spuna
