#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/findings/shift_distance.h"
#include "algorithms/guarantees/metrics.h"
#include "arrow_io/failure.h"
#include "pipelines/run/decision.h"
#include "pipelines/run/fit_summary.h"
#include "pipelines/run/fit_warnings.h"
#include "pipelines/run/row_counts.h"

namespace spuna {

/// The rows of a group and those of them that are dropped.
struct GroupCount {
  std::string value;
  std::int64_t rows = 0;
  std::int64_t dropped = 0;
  /// The share that is dropped, and its interval at 95 % (Wilson's).
  double share = 0;
  double low = 0;
  double high = 1;
};

/// Why a file was skipped.
struct SkippedFile {
  std::string reason;
  arrow_io::FailureKind kind = arrow_io::FailureKind::kCorrupt;
};
/// By relative path.
using SkippedFiles = std::map<std::string, SkippedFile>;

/// The result of a fit, of scoring or of both. Every part that belongs to the job is set.
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

    /// What to know of the counts.
    std::optional<FitWarning> Warning() const;
  };

  /// What became of verdicts of a person.
  struct Review {
    /// Whether the model has learned from them; else they decide their own rows alone.
    bool is_learned = true;
    /// How many of the last ones agreed with the model that had chosen the rows.
    std::int64_t last_agreeing = 0;
    /// What to know of them, where there was no fit that says it.
    std::vector<std::string> warnings;
  };

  /// How many rows of each group were dropped, by column.
  struct Groups {
    std::string column;
    std::vector<GroupCount> groups;
  };

  /// What a run did to an output directory.
  struct Update {
    FileCounts counts;
    /// Whether an earlier run had finished here.
    bool was_there = false;
    /// The files that were scored, by why: relative paths.
    std::vector<std::string> added;
    std::vector<std::string> changed;
    std::vector<std::string> made_again;
    std::vector<std::string> reviewed;
    /// Those that are not listed any more, and of these the ones whose outputs are not what was
    /// written.
    std::vector<std::string> vanished;
    std::vector<std::string> altered;
    /// Why a new fit is due; empty where it is not.
    std::string refit_reason;
    /// How many files of the output the fit has not seen.
    std::size_t files_after_fit = 0;
  };

  std::optional<Fit> fit;
  std::optional<Score> score;
  std::optional<Update> update;
  std::optional<Review> review;
  /// Of scoring without a fit: what to know of the model.
  std::vector<FitWarning> model_warnings;
  std::vector<Groups> groups;
  /// How far the dropped rows are from the trusted ones, where reasons or a report were asked for,
  /// and how many kinds of them there are.
  std::optional<algorithms::ShiftDistance> distance;
  std::vector<std::int64_t> kinds;
  /// How many files groups, reasons and report are about, where the output has others that this
  /// run did not score.
  std::optional<std::size_t> files_explained;
  /// Where reasons and report are, where they were asked for.
  std::optional<std::string> reasons;
  std::optional<std::string> page;
  /// The files that could not be read, by relative path, and why.
  SkippedFiles skipped;
  /// Whether an earlier run had done it all, so that there was nothing to do.
  bool was_done = false;
  std::map<std::string, double> seconds;
  std::int64_t peak_memory_bytes = 0;

  /// What to know before trusting the result: of the fit, else of the model, and of the counts.
  std::vector<FitWarning> Warnings() const;
};

/// The result of comparing scores with the truth.
struct Evaluation {
  algorithms::DetectionMetrics metrics;
  /// Rows that were compared.
  std::int64_t rows = 0;
  /// Rows without a score or without a truth.
  std::int64_t rows_skipped = 0;
};

/// The results as one object each.
nlohmann::json ToJson(const JobReport& report);
nlohmann::json ToJson(const Evaluation& evaluation);
nlohmann::json ToJson(const GroupCount& group);

/// 3 as "3 files scored by this run".
std::string FilesScored(std::size_t num_files);

/// Skipped files as a list of {`path`, `reason`, `kind`}.
nlohmann::json SkippedToJson(const SkippedFiles& skipped);

}  // namespace spuna
