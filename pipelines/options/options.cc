#include "pipelines/options/options.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/compute/format_number.h"

namespace spuna {
namespace {

// Larger values are surely a mistake, and would overflow what is computed from them.
constexpr std::int64_t kMaxCount = 1'000'000'000;
constexpr std::int64_t kMaxHidden = 65'536;

arrow::Status CheckCount(const char* option, std::int64_t value, std::int64_t max = kMaxCount) {
  if (value >= 1 && value <= max) return arrow::Status::OK();
  return arrow::Status::Invalid("`", option, "` must be between 1 and ", max, ", but is ", value);
}

arrow::Status CheckShare(const char* option, const std::optional<double>& value) {
  if (!value || (*value > 0 && *value < 1)) return arrow::Status::OK();
  return arrow::Status::Invalid("`", option, "` must be between 0 and 1, but is ",
                                algorithms::FormatNumber(*value));
}

arrow::Status CheckThreshold(const std::optional<double>& threshold) {
  if (!threshold || (*threshold >= 0 && *threshold <= 1)) return arrow::Status::OK();
  return arrow::Status::Invalid("`threshold` must be from 0 to 1, but is ",
                                algorithms::FormatNumber(*threshold));
}

// An error when more than one is set.
arrow::Status CheckOneOf(
    const std::vector<std::pair<const char*, const std::optional<double>*>>& options) {
  const char* first = nullptr;
  for (const auto& [name, value] : options) {
    if (!*value) continue;
    if (first != nullptr) {
      return arrow::Status::Invalid("`", first, "` and `", name,
                                    "` both say which rows are dropped; choose one");
    }
    first = name;
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status DecisionOptions::Validate() const {
  ARROW_RETURN_NOT_OK(CheckOneOf({{"max-clean-loss", &max_clean_loss},
                                  {"max-false-drops", &max_false_drops},
                                  {"keep-share", &keep_share},
                                  {"threshold", &threshold}}));
  ARROW_RETURN_NOT_OK(CheckShare("max-clean-loss", max_clean_loss));
  ARROW_RETURN_NOT_OK(CheckShare("max-false-drops", max_false_drops));
  ARROW_RETURN_NOT_OK(CheckShare("keep-share", keep_share));
  ARROW_RETURN_NOT_OK(CheckThreshold(threshold));
  if (HasGuarantee() && calibration == Calibration::kNone) {
    return arrow::Status::Invalid(
        "`max-clean-loss` and `max-false-drops` need calibration rows; "
        "use `calibration` split or cross");
  }
  if (!calibration_rows) return arrow::Status::OK();
  if (ChosenCalibration() != Calibration::kSplit) {
    return arrow::Status::Invalid("`calibration-rows` is for `calibration` split");
  }
  return CheckCount("calibration-rows", *calibration_rows);
}

arrow::Status FitOptions::Validate() const {
  ARROW_RETURN_NOT_OK(decision.Validate());
  ARROW_RETURN_NOT_OK(CheckCount("alpha", alpha.value_or(1)));
  ARROW_RETURN_NOT_OK(CheckCount("beta", beta.value_or(1)));
  ARROW_RETURN_NOT_OK(CheckCount("k", k.value_or(1)));
  ARROW_RETURN_NOT_OK(CheckCount("hidden", hidden.value_or(1), kMaxHidden));
  ARROW_RETURN_NOT_OK(CheckCount("epochs", epochs.value_or(1)));
  ARROW_RETURN_NOT_OK(CheckCount("batch-size", batch_size));
  if (fit_rows != 0) ARROW_RETURN_NOT_OK(CheckCount("fit-rows", fit_rows));
  if (!std::isfinite(epsilon)) {
    return arrow::Status::Invalid("`epsilon` must be a finite number, but is ",
                                  algorithms::FormatNumber(epsilon));
  }
  if (!(std::isfinite(learning_rate) && learning_rate > 0)) {
    return arrow::Status::Invalid("`learning-rate` must be a positive number, but is ",
                                  algorithms::FormatNumber(learning_rate));
  }
  return arrow::Status::OK();
}

FitChoices FitOptions::Choose(std::int64_t num_trusted_rows, std::int64_t num_pool_rows,
                              std::int64_t dimension) const {
  using namespace algorithms;
  FitChoices chosen;
  // floor(|U| * 1500 / 14000 + 0.5), at least 1, in whole numbers.
  chosen.beta = beta.value_or(std::max<std::int64_t>(1, (num_pool_rows * 3 + 14) / 28));
  if (recipe == Recipe::kPaper) {
    chosen.alpha = 30;
    chosen.k = 100;
    chosen.hidden = 512;
    chosen.epochs = 20;
  } else {
    chosen.switches = {recipe == Recipe::kFast ? Metric::kContrast : Metric::kWhitened,
                       Seeds::kCrossFitted, true, Sides::kShare, Targets::kSoft};
    const double num_rows =
        static_cast<double>(std::max<std::int64_t>(1, num_trusted_rows + num_pool_rows));
    chosen.alpha = std::clamp<std::int64_t>(num_pool_rows / 40, 1, 30);
    chosen.k = std::clamp<std::int64_t>(num_pool_rows / 20, 5, 100);
    chosen.hidden = std::clamp<std::int64_t>(2 * dimension, 64, 512);
    chosen.epochs = std::clamp<std::int64_t>(std::llround(10 * std::sqrt(5000 / num_rows)), 1, 20);
  }
  chosen.alpha = alpha.value_or(chosen.alpha);
  chosen.k = k.value_or(chosen.k);
  chosen.hidden = hidden.value_or(chosen.hidden);
  chosen.epochs = epochs.value_or(chosen.epochs);
  chosen.switches.metric = metric.value_or(chosen.switches.metric);
  chosen.switches.seeds = seeds.value_or(chosen.switches.seeds);
  chosen.switches.discriminant = discriminant.value_or(chosen.switches.discriminant);
  chosen.switches.sides = sides.value_or(chosen.switches.sides);
  chosen.switches.targets = targets.value_or(chosen.switches.targets);
  return chosen;
}

std::string ChoiceRule(Recipe recipe) {
  if (recipe == Recipe::kPaper) {
    return "alpha 30, k 100, hidden 512 and epochs 20 as published; beta 1500 for 14,000 pool "
           "rows, in proportion for others";
  }
  return "alpha = pool rows / 40, 1 to 30; beta 1500 for 14,000 pool rows, in proportion for "
         "others; k = pool rows / 20, 5 to 100; hidden = 2 x dimension, 64 to 512; epochs = 10 x "
         "sqrt(5000 / rows), 1 to 20";
}

algorithms::RecipeOptions FitOptions::ForRecipe(const FitChoices& choices) const {
  algorithms::RecipeOptions options;
  options.switches = choices.switches;
  options.expansion.alpha = static_cast<std::size_t>(choices.alpha);
  options.expansion.beta = static_cast<std::size_t>(choices.beta);
  options.expansion.num_neighbors = static_cast<std::size_t>(choices.k);
  options.expansion.epsilon = epsilon;
  options.expansion.on_stop = on_stop;
  options.expansion.search = neighbors;
  options.distillation.hidden = static_cast<std::size_t>(choices.hidden);
  options.distillation.epochs = static_cast<std::size_t>(choices.epochs);
  options.distillation.learning_rate = learning_rate;
  options.distillation.batch_size = static_cast<std::size_t>(batch_size);
  options.distillation.seed = seed;
  options.network.hidden = options.distillation.hidden;
  options.network.epochs = options.distillation.epochs;
  options.network.learning_rate = learning_rate;
  options.network.batch_size = options.distillation.batch_size;
  options.network.seed = seed;
  return options;
}

arrow::Status ScoreOptions::Validate() const {
  if (prefix.find('\0') != std::string::npos) {
    return arrow::Status::Invalid("`prefix` must not hold a zero byte");
  }
  const bool decides = drop || p_values || threshold || max_clean_loss;
  if (decides && by == ScoreBy::kNeighbors) {
    return arrow::Status::Invalid("`",
                                  drop       ? "drop"
                                  : p_values ? "p-values"
                                             : "threshold",
                                  "` needs the classifier's score");
  }
  ARROW_RETURN_NOT_OK(CheckOneOf({{"threshold", &threshold}, {"max-clean-loss", &max_clean_loss}}));
  ARROW_RETURN_NOT_OK(CheckThreshold(threshold));
  ARROW_RETURN_NOT_OK(CheckShare("max-clean-loss", max_clean_loss));
  return arrow::Status::OK();
}

DecisionOptions CalibratedFor(const ScoreOptions& options, DecisionOptions decision) {
  if (options.p_values && !decision.calibration) decision.calibration = Calibration::kSplit;
  return decision;
}

std::string ToString(algorithms::StoppedBy value) {
  switch (value) {
    case algorithms::StoppedBy::kEntropy:
      return "entropy";
    case algorithms::StoppedBy::kNoShift:
      return "no shift";
    case algorithms::StoppedBy::kExhausted:
      break;
  }
  return "exhausted";
}

}  // namespace spuna
