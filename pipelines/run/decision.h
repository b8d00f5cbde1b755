#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "algorithms/guarantees/conformal.h"
#include "algorithms/rows/row_verdicts.h"
#include "pipelines/options/options.h"

namespace spuna {

/// What is known of a row when it is decided about.
struct RowEvidence {
  /// Above 1 for a row that is odd beyond doubt, where odd rows are dropped.
  float score = 0;
  /// Where the decision needs it.
  double p_value = 1;
  /// Whether it is far or otherwise odd.
  bool is_odd = false;
  /// What a person said of it: that decides.
  algorithms::RowVerdict verdict = algorithms::RowVerdict::kNone;
};

/// Which rows are kept.
struct Decision {
  /// The threshold where no row can be dropped: no score reaches it.
  static constexpr double kDropNone = 2;

  /// The option that decided; empty where none was given.
  std::string rule;
  /// What it was set to.
  double level = 0.5;
  /// Rows that score below it are kept; kDropNone where none is dropped.
  double threshold = 0.5;
  /// With it the p-value decides instead: rows are kept whose p-value is greater.
  std::optional<double> p_value_cutoff;
  /// What happens to odd rows; kKeep where the model can't tell them.
  FarRows far = FarRows::kKeep;

  bool NeedsPValues() const { return p_value_cutoff.has_value(); }
  bool DropsNone() const { return !p_value_cutoff && threshold > 1; }

  /// Whether it promises how many clean rows are dropped. Odd rows are then dropped by their joined
  /// score, as the calibration rows were counted.
  bool HasGuarantee() const { return rule == "max-clean-loss" || rule == "max-false-drops"; }

  /// Whether a row is kept: the one place where that is decided. Where odd rows are null it is not
  /// asked about them.
  bool Keeps(const RowEvidence& row) const {
    if (row.verdict != algorithms::RowVerdict::kNone) {
      return row.verdict == algorithms::RowVerdict::kClean;
    }
    if (row.is_odd && far == FarRows::kDrop && !HasGuarantee()) return false;
    return p_value_cutoff ? row.p_value > *p_value_cutoff : row.score < threshold;
  }
  /// Whether a row is neither kept nor dropped.
  bool LeavesOpen(const RowEvidence& row) const {
    return row.is_odd && far == FarRows::kNull && row.verdict == algorithms::RowVerdict::kNone;
  }
  bool Drops(const RowEvidence& row) const { return !LeavesOpen(row) && !Keeps(row); }
};

/// What the pool's rows, as far as the fit saw them, were given.
struct PoolScores {
  std::span<const float> scores;
  /// Where there is a calibration.
  std::span<const double> p_values;
  /// At most this share of them is clean.
  double clean_share = 1;
  /// Whether a shift was detected. Where none was and no option decides, no row is dropped.
  bool shift_found = true;
};

/// Decides by the options, which must be valid.
Decision Decide(const DecisionOptions& options, const algorithms::CalibrationScores& calibration,
                const PoolScores& pool);

/// The decision at another level of clean loss. An error where there are too few calibration rows.
arrow::Result<Decision> DecideByCleanLoss(double level,
                                          const algorithms::CalibrationScores& calibration);

/// How many of the trusted rows a split holds out, or of the groups; `unit` is what messages call
/// them. An error that says how many are needed where there are too few.
arrow::Result<std::int64_t> CountCalibrationRows(const DecisionOptions& options,
                                                 std::int64_t num_trusted,
                                                 const std::string& unit = "rows");

nlohmann::json ToJson(const Decision& decision);
/// Throws a nlohmann exception or std::invalid_argument where it can't be one.
Decision DecisionFromJson(const nlohmann::json& json);

}  // namespace spuna
