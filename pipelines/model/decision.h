#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "algorithms/guarantees/conformal.h"
#include "pipelines/options/options.h"

namespace spuna {

/// How a model tells rows to keep from rows to drop.
struct Decision {
  /// The option that decided; empty where none was given.
  std::string rule;
  /// What it was set to.
  double level = 0.5;
  /// Rows that score below it are kept. More than 1 where none is dropped.
  double threshold = 0.5;
  /// With it the p-value decides instead: rows are kept whose p-value is greater.
  std::optional<double> p_value_cutoff;
};

/// What the pool's rows, as far as the fit saw them, were given.
struct PoolScores {
  std::span<const float> scores;
  /// Where there is a calibration.
  std::span<const double> p_values;
  /// At most this share of them is clean.
  double clean_share = 1;
};

/// Decides by the options, which must be valid.
Decision Decide(const DecisionOptions& options, const algorithms::CalibrationScores& calibration,
                const PoolScores& pool);

/// The decision at another level of clean loss. An error where there are too few calibration rows.
arrow::Result<Decision> DecideByCleanLoss(double level,
                                          const algorithms::CalibrationScores& calibration);

/// How many of the trusted rows are kept back by a split. An error that says how many are needed
/// where there are too few.
arrow::Result<std::int64_t> CountCalibrationRows(const DecisionOptions& options,
                                                 std::int64_t num_trusted_rows);

nlohmann::json ToJson(const Decision& decision);
/// Throws a nlohmann exception or std::invalid_argument where it can't be one.
Decision DecisionFromJson(const nlohmann::json& json);

}  // namespace spuna
