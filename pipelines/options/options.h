#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/expansion/expansion.h"
#include "algorithms/recipe/switches.h"

namespace spuna {

/// What happens to rows whose embedding is null or not finite.
enum class InvalidRows {
  kNull,   ///< they stay, with null in every column of ours
  kDrop,   ///< they are left out of the output
  kError,  ///< the first one is an error
};

/// What happens to rows that lie far from all trusted rows, and to constant and repeated ones.
enum class FarRows {
  kDrop,  ///< they are not kept, whatever their score is
  kKeep,  ///< their score decides
  kNull,  ///< nothing is decided about them: `keep` is null
};

/// Clean rows are called far at this rate, where there are enough trusted rows to tell.
inline constexpr double kDefaultFarLevel = 0.001;

/// What a row is scored by.
enum class ScoreBy { kClassifier, kNeighbors };

/// What happens to an input file that can't be read.
enum class OnBadFile {
  kError,  ///< it ends the run
  kSkip,   ///< it is left out, and reported
};

/// Which rows a fit looks at when the pool has more than enough.
enum class FitSample {
  kUniform,      ///< any of them alike
  kByPartition,  ///< of each hive partition in proportion, at least one
};

/// OpenBLAS has a fixed number of buffers, one for each thread that multiplies.
inline constexpr int kMaxThreads = 64;

/// As many threads as this process can run at once, within kMaxThreads: the CPUs that it is allowed
/// to use, and no more than its control groups give it time for.
int DefaultThreads();

/// The same of a process with so many CPUs, and the time of so many of them (infinite: all).
int DefaultThreads(int num_cpus, double cpu_quota);

/// The pool rows that a fit looks at, unless it is told another number. docs/scale.md says why.
inline constexpr std::int64_t kDefaultFitRows = 50'000;

/// What the switches and numbers of a fit are by default.
enum class Recipe {
  kRobust,  ///< ours
  kFast,    ///< ours in a few dimensions, for pools of 100,000 rows and more
  kPaper,   ///< S-PUNA as published
};

/// Which trusted rows are held out to measure what a threshold costs.
enum class Calibration {
  kNone,
  kSplit,  ///< some of them, learned as pool rows
  kCross,  ///< all of them in turn: wastes no row, fits five times more, and guarantees about twice
           ///< the level only
};

/// Which rows are dropped. At most one of the first four is set; without one, those whose score is
/// one half or more, and none where no shift was found.
struct DecisionOptions {
  /// Of the clean rows at most this share is dropped, in expectation.
  std::optional<double> max_clean_loss;
  /// Of the dropped rows at most this share is clean, in expectation.
  std::optional<double> max_false_drops;
  /// This share of the pool is kept.
  std::optional<double> keep_share;
  /// Rows scoring at least this are dropped.
  std::optional<double> threshold;
  /// Not set: split where one of the first two is, else none.
  std::optional<Calibration> calibration;
  /// How many trusted rows, or groups, a split holds out. Not set: a quarter, or as many as the
  /// level asks for, up to one half.
  std::optional<std::int64_t> calibration_rows;
  /// Not set: kDrop, and in `recipe` paper rows are not held against a distance at all.
  std::optional<FarRows> far;
  /// Not set: kDefaultFarLevel.
  std::optional<double> far_level;

  /// Whether anything was asked for.
  bool IsSet() const { return HasGuarantee() || keep_share || threshold; }
  bool HasGuarantee() const { return max_clean_loss || max_false_drops; }
  Calibration ChosenCalibration() const {
    return calibration.value_or(HasGuarantee() ? Calibration::kSplit : Calibration::kNone);
  }
  arrow::Status Validate() const;
};

/// All that a fit leaves to the recipe and the size of its inputs, decided.
struct FitChoices {
  algorithms::Switches switches;
  std::int64_t alpha = 0;
  std::int64_t beta = 0;
  std::int64_t k = 0;
  std::int64_t hidden = 0;
  std::int64_t epochs = 0;
};

/// How to fit. The paper's symbols: alpha seeds a side, beta rows a side and round, k neighbors.
/// What is not set is chosen, see Choose.
struct FitOptions {
  Recipe recipe = Recipe::kRobust;
  std::optional<algorithms::Metric> metric;
  std::optional<algorithms::Seeds> seeds;
  /// Whether the discriminant is a coordinate of its own.
  std::optional<bool> discriminant;
  std::optional<algorithms::Sides> sides;
  std::optional<algorithms::Targets> targets;
  /// The embedding column; empty chooses "embedding", else the only column that can be one.
  std::string embedding;
  std::optional<std::int64_t> alpha;
  std::optional<std::int64_t> beta;
  std::optional<std::int64_t> k;
  double epsilon = 0;
  algorithms::OnStop on_stop = algorithms::OnStop::kKeep;
  algorithms::SearchKind neighbors = algorithms::SearchKind::kAuto;
  std::optional<std::int64_t> hidden;
  std::optional<std::int64_t> epochs;
  double learning_rate = 0.001;
  std::int64_t batch_size = 128;
  std::uint64_t seed = 0;
  InvalidRows invalid = InvalidRows::kNull;
  /// A pool of more rows is represented by a sample of so many; 0 takes all rows.
  std::int64_t fit_rows = kDefaultFitRows;
  FitSample fit_sample = FitSample::kUniform;
  DecisionOptions decision;
  /// The column of the classes within which rows are compared; empty compares all with all.
  std::string stratify;
  /// The column of the groups whose rows belong together; empty lets every row stand alone.
  std::string fold_by;

  /// Whether every value can be used, whatever the data.
  arrow::Status Validate() const;

  /// What is set, and for the rest:
  ///
  ///             paper                  robust, fast
  ///     alpha   30                     |U| / 40, from 1 to 30
  ///     beta    |U| * 1500 / 14000     the same
  ///     k       100                    |U| / 20, from 5 to 100
  ///     hidden  512                    2 d, from 64 to 512
  ///     epochs  20                     10 sqrt(5000 / (|T| + |U|)), from 1 to 20, and
  ///                                    so many that there are 150 steps
  FitChoices Choose(std::int64_t num_trusted_rows, std::int64_t num_pool_rows,
                    std::int64_t dimension) const;

  algorithms::RecipeOptions ForRecipe(const FitChoices& choices) const;

  /// What happens to far rows; none where the fit measures no distance.
  std::optional<FarRows> ChosenFar() const;
};

/// How Choose decides, in words, for reports.
std::string ChoiceRule(Recipe recipe);

/// How to score and what to write.
struct ScoreOptions {
  /// The embedding column; empty takes the model's, else chooses as FitOptions does.
  std::string embedding;
  ScoreBy by = ScoreBy::kClassifier;
  /// What the names of our columns start with.
  std::string prefix = "spuna_";
  InvalidRows invalid = InvalidRows::kNull;
  algorithms::SearchKind neighbors = algorithms::SearchKind::kAuto;
  /// Whether rows that are dropped or have no valid embedding are left out.
  bool drop = false;
  /// Whether columns of the input that are called as ours are left out.
  bool replace = false;
  /// The columns to write, of the input's and ours, in this order. Not set: all of both.
  std::optional<std::vector<std::string>> columns;
  /// Whether there is a column of p-values. Needs a model with calibration rows.
  bool p_values = false;
  /// Whether there are columns of distances and their p-values. Needs a model with a distance.
  bool distances = false;
  /// What happens to far rows instead of the model's own choice.
  std::optional<FarRows> far;
  /// What to decide by instead of the model's own choice; at most one.
  std::optional<double> threshold;
  std::optional<double> max_clean_loss;
  /// Whether an existing output may be replaced.
  bool overwrite = false;

  arrow::Status Validate() const;
};

/// How to watch a batch.
struct MonitorOptions {
  /// The embedding column; empty chooses the model's.
  std::string embedding;
  InvalidRows invalid = InvalidRows::kNull;
  /// The probability of ever detecting a shift where there is none.
  double level = 0.05;

  arrow::Status Validate() const;
};

}  // namespace spuna
