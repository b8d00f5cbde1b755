#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/findings/normalization.h"
#include "algorithms/guarantees/share_estimate.h"
#include "pipelines/options/options.h"

namespace spuna {

/// How many of the highest scores a person is asked to look at where no shift was detected.
inline constexpr std::size_t kRowsToLookAt = 20;

/// How many of the trusted rows above the threshold are named.
inline constexpr std::int64_t kTrustedRowsNamed = 5;

/// What a person said of rows, as a fit has taken it.
struct ReviewSummary {
  std::int64_t shifted = 0;
  std::int64_t clean = 0;
  std::int64_t unsure = 0;
  /// Those of the first two that were drawn at random: they are not learned.
  std::int64_t random = 0;
  /// Rows of other inputs, given with their embeddings.
  std::int64_t outside = 0;
  /// Lines about rows that are not in the pool, and about rows that have one already.
  std::int64_t unknown = 0;
  std::int64_t repeated = 0;
  std::int64_t contradicting = 0;
  /// The hash of the files.
  std::string hash;
  /// What to know of them, in sentences; not in a model's metadata.
  std::vector<std::string> warnings;
};

/// What a fit found out, as far as its inputs and options decide it.
struct FitSummary {
  std::int64_t rows_trusted = 0;
  std::int64_t rows_pool = 0;
  std::int64_t rows_invalid_trusted = 0;
  std::int64_t rows_invalid_pool = 0;
  /// The trusted rows that equal an earlier one. All recipes but the paper's learn each once.
  std::int64_t rows_trusted_repeated = 0;
  /// The trusted rows that are also in the pool, and those that are nearly, as after rounding.
  std::int64_t rows_trusted_in_pool = 0;
  std::int64_t rows_trusted_nearly_in_pool = 0;
  /// Where another normalization is likelier than a shift.
  std::optional<algorithms::NormalizationGap> normalization;
  /// The part of the difference between trusted rows and pool that another mix of clusters
  /// explains, where the recipe asks how well they can be separated.
  std::optional<double> mix_explained;
  /// The rows that lie beyond the limits that the trusted rows set: they are clipped, in `recipe`
  /// paper not. And those of them that lie ten times as far out.
  std::int64_t rows_beyond_trusted = 0;
  std::int64_t rows_beyond_pool = 0;
  std::int64_t rows_broken_trusted = 0;
  std::int64_t rows_broken_pool = 0;
  /// The trusted rows that calibrate: those that were held out, or one of each group that was.
  std::int64_t rows_calibration = 0;
  /// The rows of the whole pool, where the fit saw a sample of it.
  std::optional<std::int64_t> sampled_from;
  /// What the options left open.
  FitChoices choices;
  /// How well trusted rows and pool can be separated, and the estimated share of shifted rows,
  /// where the recipe asked.
  std::optional<algorithms::Separation> separation;
  std::optional<algorithms::Share> share;
  /// Whether a shift was detected; true where the recipe did not ask.
  bool found = true;
  /// Where none was detected: what the `kRowsToLookAt` pool rows that score highest score at least.
  std::optional<double> highest_scores_from;
  /// The trusted rows that the model would drop, none where p-values decide: how many learned
  /// ones, the first of them by number, and by id where ids were asked for (not in a model's
  /// metadata).
  std::int64_t rows_trusted_above = 0;
  std::vector<std::int64_t> first_trusted_above;
  std::vector<std::string> ids_trusted_above;
  /// What a person said of rows, where somebody did.
  std::optional<ReviewSummary> review;
  std::int64_t rounds = 0;
  std::vector<double> entropy;
  std::string stopped_by;
  std::int64_t labeled_clean = 0;
  std::int64_t labeled_shifted = 0;

  std::int64_t num_distinct_trusted() const { return rows_trusted - rows_trusted_repeated; }
};

/// What a fit says about the pool as a whole.
enum class Verdict {
  kShift,      ///< a shift is proven
  kNone,       ///< none is proven, and few rows could be shifted
  kUndecided,  ///< none is proven, and more than few rows could be shifted
};

/// The largest share that may be shifted where the verdict is "none".
inline constexpr double kNegligibleShare = 0.05;

/// "shift", "none" or "undecided".
std::string ToWord(Verdict verdict);

/// None where the recipe did not ask.
std::optional<Verdict> VerdictOf(const FitSummary& summary);

/// How many more trusted rows would about settle a verdict that is undecided: with them the share's
/// interval, which narrows with the root of their number, excludes either 0 or more than
/// `kNegligibleShare`. None where not even twenty times as many would.
std::optional<std::int64_t> TrustedRowsToSettle(const FitSummary& summary);

/// The summary as a model's metadata has it, and back. Reading throws a nlohmann exception or
/// std::invalid_argument where it can't be one.
nlohmann::json ToJson(const FitSummary& summary, Recipe recipe);
FitSummary FitSummaryFromJson(const nlohmann::json& from);

/// The choices by their options' names.
nlohmann::json ToJson(const FitChoices& choices);

nlohmann::json ToJson(const algorithms::Share& share);

}  // namespace spuna
