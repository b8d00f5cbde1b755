#include "pipelines/run/decision.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "algorithms/compute/format_number.h"
#include "pipelines/options/option_words.h"

namespace spuna {
namespace {

using algorithms::CalibrationScores;

// Rows with p-values up to `cutoff` are dropped.
void DropUpTo(double cutoff, const CalibrationScores& calibration, Decision& decision) {
  if (calibration.folds.empty()) {
    decision.threshold =
        std::min(algorithms::ThresholdAt(calibration.own, cutoff), Decision::kDropNone);
  } else {
    decision.p_value_cutoff = cutoff;
  }
}

double ThresholdToKeep(double share, std::span<const float> scores) {
  std::vector<float> sorted(scores.begin(), scores.end());
  std::ranges::sort(sorted);
  const auto kept =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size()) - 1e-9));
  return kept < sorted.size() ? sorted[kept] : Decision::kDropNone;
}

}  // namespace

Decision Decide(const DecisionOptions& options, const CalibrationScores& calibration,
                const PoolScores& pool) {
  Decision decision;
  if (options.max_clean_loss) {
    decision.rule = "max-clean-loss";
    decision.level = *options.max_clean_loss;
    DropUpTo(decision.level, calibration, decision);
  } else if (options.max_false_drops) {
    decision.rule = "max-false-drops";
    decision.level = *options.max_false_drops;
    const std::vector<double> p_values(pool.p_values.begin(), pool.p_values.end());
    DropUpTo(algorithms::FalseDropCutoff(p_values, decision.level, pool.clean_share), calibration,
             decision);
  } else if (options.keep_share) {
    decision.rule = "keep-share";
    decision.level = *options.keep_share;
    decision.threshold = ThresholdToKeep(decision.level, pool.scores);
  } else if (options.threshold) {
    decision.rule = "threshold";
    decision.level = decision.threshold = *options.threshold;
  } else if (!pool.shift_found) {
    decision.threshold = Decision::kDropNone;
  }
  return decision;
}

arrow::Result<Decision> DecideByCleanLoss(double level, const CalibrationScores& calibration) {
  if (calibration.empty()) {
    return arrow::Status::Invalid(
        "`max-clean-loss` needs a model with calibration rows, and this one has none; fit with "
        "`calibration` split or cross");
  }
  const std::size_t needed = algorithms::CalibrationRowsFor(level);
  if (calibration.size() < needed) {
    return arrow::Status::Invalid("`max-clean-loss` ", algorithms::FormatNumber(level), " needs ",
                                  needed, " calibration rows, but the model has ",
                                  calibration.size());
  }
  DecisionOptions options;
  options.max_clean_loss = level;
  return Decide(options, calibration, {});
}

arrow::Result<std::int64_t> CountCalibrationRows(const DecisionOptions& options,
                                                 std::int64_t num_trusted,
                                                 const std::string& unit) {
  const std::int64_t needed =
      options.max_clean_loss
          ? static_cast<std::int64_t>(algorithms::CalibrationRowsFor(*options.max_clean_loss))
          : 1;
  const std::string level =
      options.max_clean_loss
          ? "`max-clean-loss` " + algorithms::FormatNumber(*options.max_clean_loss)
          : "`calibration` " + std::string("split");
  if (options.ChosenCalibration() == Calibration::kCross) {
    if (num_trusted >= needed && num_trusted >= 10) return num_trusted;
    return arrow::Status::Invalid(level, " needs ", std::max<std::int64_t>(needed, 10), " trusted ",
                                  unit, " with `calibration` cross, but there are ", num_trusted);
  }
  if (options.calibration_rows) {
    const std::int64_t asked = *options.calibration_rows;
    if (asked < needed) {
      return arrow::Status::Invalid(level, " needs ", needed, " calibration ", unit,
                                    ", but `calibration-rows` is ", asked);
    }
    if (asked + 2 <= num_trusted) return asked;
    return arrow::Status::Invalid("`calibration-rows` ", asked, " leaves too few of ", num_trusted,
                                  " trusted ", unit, " to learn from");
  }
  const std::int64_t count = std::max(num_trusted / 4, needed);
  if (2 * count <= num_trusted) return count;
  return arrow::Status::Invalid(level, " needs ", needed, " calibration ", unit,
                                ", at most half of the trusted ", unit, ", so ", 2 * needed,
                                " trusted ", unit, ", but there are ", num_trusted,
                                "; give more, or ask for less");
}

nlohmann::json ToJson(const Decision& decision) {
  nlohmann::json json = {{"threshold", decision.threshold}, {"far", ToWord(decision.far)}};
  if (!decision.rule.empty()) {
    json["rule"] = decision.rule;
    json["level"] = decision.level;
  }
  if (decision.p_value_cutoff) json["p_value_cutoff"] = *decision.p_value_cutoff;
  return json;
}

Decision DecisionFromJson(const nlohmann::json& json) {
  Decision decision;
  decision.threshold = json.at("threshold").get<double>();
  decision.rule = json.value("rule", "");
  decision.level = json.value("level", 0.5);
  decision.far = FromWord<FarRows>(json.value("far", ToWord(FarRows::kKeep)));
  if (json.contains("p_value_cutoff")) {
    decision.p_value_cutoff = json.at("p_value_cutoff").get<double>();
  }
  if (!std::isfinite(decision.threshold)) throw std::invalid_argument("expected a threshold");
  return decision;
}

}  // namespace spuna
