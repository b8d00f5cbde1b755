#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/guarantees/binomial_interval.h"

namespace spuna {

/// Rows with a sure verdict on one side of a decision: looks at rows that were drawn at random, and
/// rows known from looks that were not. A row is in one of the two.
struct LookCounts {
  std::int64_t looks = 0;
  std::int64_t looks_shifted = 0;
  /// Sums over the looks, each with the weight 1 / probability.
  double weight = 0;
  double weight_squared = 0;
  double weight_shifted = 0;
  std::int64_t known_shifted = 0;
  std::int64_t known_clean = 0;

  /// `probability`, above 0, is how likely the row was to be drawn.
  void AddLook(double probability, bool is_shifted);
  void AddKnown(bool is_shifted);

  std::int64_t shifted() const { return looks_shifted + known_shifted; }
  std::int64_t clean() const { return looks - looks_shifted + known_clean; }

  LookCounts& operator+=(const LookCounts& other);
  bool operator==(const LookCounts&) const = default;
};

/// All reviewed rows, by what the model decides about them before their verdicts override it.
struct ReviewCounts {
  LookCounts dropped;
  LookCounts kept;
  std::int64_t unsure = 0;

  bool IsZero() const { return *this == ReviewCounts(); }

  ReviewCounts& operator+=(const ReviewCounts& other);
  bool operator==(const ReviewCounts&) const = default;
};

/// {`dropped`, `kept`, `unsure`}, without what is zero, and back.
nlohmann::json ToJson(const ReviewCounts& counts);
ReviewCounts ReviewCountsFrom(const nlohmann::json& from);

/// What random looks say of the decisions, once each verdict has decided its own row. Intervals are
/// at 95 %. Not set where looks are missing to estimate it from.
struct LookEstimates {
  std::int64_t looks_dropped = 0;
  std::int64_t looks_kept = 0;
  /// The part of the dropped rows that is shifted; not set either where no row is dropped.
  std::optional<algorithms::Interval> precision;
  /// The part of the clean rows that is dropped.
  std::optional<algorithms::Interval> clean_loss;
  /// The part of all rows that is shifted.
  std::optional<algorithms::Interval> share;
};

/// `rows_dropped` and `rows_kept` are how many rows the model drops and keeps, reviewed ones
/// included. On a side with looks,
///
///   p = weight_shifted / weight,  n = weight² / weight_squared,
///
/// and the interval of the shifted rows among those without a sure verdict is that of
/// `SuccessesLeft` after p n successes among n. Let S and C be the rows with the verdicts shifted
/// and clean, and R_D and R_K the rows without a sure verdict that the model drops and keeps. Then
///
///   precision  = (S + p_D R_D) / (S + R_D)
///   clean loss = (1 - p_D) R_D / (C + (1 - p_D) R_D + (1 - p_K) R_K)
///   share      = (S + p_D R_D + p_K R_K) / (rows_dropped + rows_kept).
///
/// Where both sides count, each has its interval at 97.5 %, and the corners give the result's. A
/// side without such rows (R = 0) needs no looks.
LookEstimates EstimateFromLooks(const ReviewCounts& counts, std::int64_t rows_dropped,
                                std::int64_t rows_kept);

/// {`looks_dropped`, `looks_kept`, `precision`, `clean_loss`, `share`}, the last three as
/// {`estimate`, `low`, `high`}, without those that are not set.
nlohmann::json ToJson(const LookEstimates& estimates);

/// "precision of the drops: 83 % (95 % interval 65 to 94 %), from 30 random looks", and the same of
/// the others: those that are set.
std::vector<std::string> LookSentences(const LookEstimates& estimates);

/// Advice to stop looking, where more looks would change little.
std::optional<std::string> StopAdvice(const LookEstimates& estimates, std::int64_t last_agreeing);

}  // namespace spuna
