#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/guarantees/share_estimate.h"
#include "pipelines/options/options.h"

namespace spuna {

/// What a fit found out, as far as its inputs and options decide it.
struct FitSummary {
  std::int64_t rows_trusted = 0;
  std::int64_t rows_pool = 0;
  std::int64_t rows_invalid_trusted = 0;
  std::int64_t rows_invalid_pool = 0;
  std::int64_t rows_trusted_in_pool = 0;
  /// The trusted rows that were held out.
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
  std::int64_t rounds = 0;
  std::vector<double> entropy;
  std::string stopped_by;
  std::int64_t labeled_clean = 0;
  std::int64_t labeled_shifted = 0;
};

/// The summary as a model's metadata has it, and back. Reading throws a nlohmann exception or
/// std::invalid_argument where it can't be one.
nlohmann::json ToJson(const FitSummary& summary, Recipe recipe);
FitSummary FitSummaryFromJson(const nlohmann::json& from);

/// The choices by their options' names.
nlohmann::json ToJson(const FitChoices& choices);

nlohmann::json ToJson(const algorithms::Share& share);

}  // namespace spuna
