#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pipelines/options/options.h"

namespace spuna {

/// Fit on files, and write what is named.
struct FitJob {
  std::vector<std::string> trusted;
  std::vector<std::string> pool;
  /// Whether files of any name are read in directories and patterns.
  bool all_files = false;
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
  /// How many files may be skipped; not set for any number.
  std::optional<std::int64_t> max_bad_files;
  /// How many seconds a fit runs before it saves a checkpoint.
  double checkpoint_seconds = 1;
  /// Files of what a person has said of rows (source/reviewed_rows.h).
  std::vector<std::string> reviewed = {};
  /// Of a clean: where the layout below its output starts; empty for the directory that holds all
  /// paths of the pool.
  std::string base = {};

  arrow::Status Validate() const;
};

/// What to find out about rows that were scored, and where to write it.
struct FindingsOptions {
  /// A Parquet file to write, of why rows are dropped, and an HTML page to look at.
  std::optional<std::string> reasons;
  std::optional<std::string> report;
  /// Columns that rows are counted by, and the columns of ids, of the truth and of pictures; empty
  /// for none.
  std::vector<std::string> group_by;
  std::string id;
  std::string truth;
  std::string image;

  /// Whether the rows are read once more after they have been scored.
  bool NeedsPoolPass() const { return reasons || report || !group_by.empty(); }
};

/// Score files with a fitted model. "-" as the output writes the rows to standard output as an
/// Arrow IPC stream; "-" as the only input reads one from standard input, and needs "-" as the
/// output.
struct ScoreJob : FindingsOptions {
  std::string model;
  std::vector<std::string> input;
  bool all_files = false;
  /// Where the layout below the output starts; empty for the directory that holds all inputs.
  std::string base;
  std::string output;
  /// Where the rows go that are dropped; needs `options.drop`.
  std::optional<std::string> dropped;
  ScoreOptions options;
  OnBadFile on_bad_file = OnBadFile::kError;
  /// How many files may be skipped; not set for any number.
  std::optional<std::int64_t> max_bad_files;
  /// Of an output directory that is there: whether to compare contents, and whether to remove the
  /// outputs of files that are gone.
  bool verify = false;
  bool prune = false;

  arrow::Status Validate() const;
};

/// Fit on files, then score the pool.
struct CleanJob : FindingsOptions {
  FitJob fit;
  std::string output;
  bool drop = false;
  /// As in ScoreOptions.
  bool replace = false;
  std::optional<std::vector<std::string>> columns;
  /// Whether there is a column of p-values; it makes the fit a calibrated one.
  bool p_values = false;
  bool distances = false;
  /// Where the rows go that are dropped; needs `drop`.
  std::optional<std::string> dropped;
  /// Of an output directory that is there: whether to fit again, to compare contents, and to remove
  /// the outputs of files that are gone.
  bool refit = false;
  bool verify = false;
  bool prune = false;

  /// The options of its second half.
  ScoreOptions Scoring() const;
  /// The options of its first half: p-values need calibration rows.
  FitOptions Fitting() const;

  arrow::Status Validate() const;
};

/// Choose rows that a person shall look at, of the pool of a fit or of one that a model scores.
struct ReviewJob {
  /// The model; where it is not set the job fits on trusted rows and pool.
  std::optional<std::string> model;
  /// The inputs, what was reviewed before, and how to fit. With a model the trusted rows may be
  /// left out.
  FitJob fit;
  /// The page, and a Parquet file of the rows; empty for none.
  std::string output;
  std::optional<std::string> list;
  /// How many rows to look at, and which share of them is drawn at random.
  std::int64_t rows = 50;
  double random_share = 0.2;
  /// The columns of ids, pictures and texts; empty for none.
  std::string id;
  std::string image;
  std::string text;

  arrow::Status Validate() const;
};

/// Compare a column of scores with a column of truth.
struct EvaluateJob {
  std::vector<std::string> input;
  bool all_files = false;
  std::string truth;
  std::string score = "spuna_score";
};

/// Watch a batch of new rows of a deployment for shift.
struct MonitorJob {
  std::string model;
  std::vector<std::string> input;
  bool all_files = false;
  /// The file that remembers the batches before this one; without it the batch stands alone.
  std::optional<std::string> state;
  /// A file of OpenMetrics text, and a page with the history; both are replaced.
  std::optional<std::string> metrics;
  std::optional<std::string> report;
  MonitorOptions options;

  arrow::Status Validate() const { return options.Validate(); }
};

/// Show what a model says of itself.
struct InspectJob {
  std::string model;
};

/// The commands, in the order of the jobs in CommandOptions.
enum class Command { kFit, kScore, kClean, kReview, kEvaluate, kMonitor, kInspect };
inline constexpr Command kCommands[] = {Command::kFit,    Command::kScore,    Command::kClean,
                                        Command::kReview, Command::kEvaluate, Command::kMonitor,
                                        Command::kInspect};

/// How a command runs and what it prints. No result depends on it.
struct RunningOptions {
  int threads = DefaultThreads();
  bool json = false;
  bool quiet = false;
  /// Whether to report what would be done instead of doing it.
  bool dry_run = false;
  std::string config;
};

/// All that the options of one command fill.
struct CommandOptions {
  std::variant<FitJob, ScoreJob, CleanJob, ReviewJob, EvaluateJob, MonitorJob, InspectJob> job;
  RunningOptions running;

  static CommandOptions Of(Command command);
  Command command() const { return static_cast<Command>(job.index()); }

  /// Whether every value can be used, and goes with the others, whatever the data.
  arrow::Status Validate() const;
};

/// The word that calls a command.
std::string NameOf(Command command);

}  // namespace spuna
