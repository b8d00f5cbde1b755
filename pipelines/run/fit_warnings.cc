#include "pipelines/run/fit_warnings.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipelines/run/number_words.h"

namespace spuna {
namespace {

// Below it the test misses shifts that more rows would show; docs/architecture.md has the figures.
constexpr std::int64_t kFewTrustedRows = 200;

// Shifts in all clusters alike had 0.04 and less of it explained, other mixes of classes 0.4 and
// more.
constexpr double kMixWorthAWarning = 0.2;

// Of clean trusted rows 0 to 3 % were above the threshold where shifts are ranked well.
constexpr double kTrustedAbove = 0.04;

// The share of dropped rows from which on the inputs are likelier to be wrong than the rows.
constexpr double kNearlyAll = 0.9;

// Many dimensions ask for more: half as many rows.
std::int64_t FewTrustedRows(std::int64_t dimension) {
  return std::max(kFewTrustedRows, dimension / 2);
}

// What "none" and "undecided" mean for the rows, and what to do next.
std::string NoShiftText(const FitSummary& summary, const DecisionOptions& decision) {
  const std::string p_value = "p = " + Format("%.2g", summary.separation->p_value);
  const std::string dropped =
      decision.IsSet() ? "rows are dropped by the rule that was asked for" : "nothing is dropped";
  if (VerdictOf(summary) == Verdict::kNone) {
    return "none: no shift proven (" + p_value + "), and at most " + Percent(summary.share->high) +
           " of the pool could be shifted; " + dropped;
  }
  std::string text = "undecided: no shift proven (" + p_value + ", below 0.05 needed); " + dropped;
  if (summary.share) {
    text += ". Up to " + Percent(summary.share->high) + " of the pool could be shifted; ";
    const std::optional<std::int64_t> more = TrustedRowsToSettle(summary);
    text += more ? "about " + Count(*more) + " more trusted rows would settle it"
                 : "many more trusted rows are needed to settle it";
  }
  text += ". Look at the highest scores";
  if (summary.highest_scores_from) {
    text += " (" + Count(kRowsToLookAt) + " rows score at least " +
            Format("%.3g", *summary.highest_scores_from) + ")";
  }
  return decision.IsSet() ? text : text + ", or use `--max-clean-loss 0.02`";
}

std::string RepeatedText(const FitSummary& summary, Recipe recipe) {
  const std::string text = Count(summary.rows_trusted_repeated) + " of " +
                           Count(summary.rows_trusted) + " equal an earlier one: ";
  return recipe == Recipe::kPaper
             ? text + "`--recipe paper` counts each as often as it is there; remove the copies"
             : text + "each counts once";
}

std::string NormalizationText(const algorithms::NormalizationGap& gap) {
  const std::string advice =
      ": another normalization is likelier than a shift; embed both inputs in the same way";
  if (gap.unit_pool || gap.unit_trusted) {
    const char* const one = gap.unit_pool ? "pool" : "trusted";
    const char* const other = gap.unit_pool ? "trusted" : "pool";
    return "all " + std::string(one) + " rows have length " +
           Format("%.3g", gap.unit_pool ? gap.pool_length : gap.trusted_length) + ", " + other +
           " rows have not (median " +
           Format("%.3g", gap.unit_pool ? gap.trusted_length : gap.pool_length) + ")" + advice;
  }
  return "in all columns alike the pool's values are about " + Format("%.3g", gap.scale) +
         " times those of the trusted rows, " + (gap.offset < 0 ? "minus " : "plus ") +
         Format("%.2g", std::abs(gap.offset)) + advice;
}

// Whether more trusted rows are above the threshold than clean rows ordinarily are: by two standard
// errors. Twice as many as may be lost are ordinary where a loss was asked for.
bool ManyAbove(const FitSummary& summary, const DecisionOptions& decision) {
  const double share = std::max(kTrustedAbove, 2 * decision.max_clean_loss.value_or(0));
  const auto rows = static_cast<double>(summary.num_distinct_trusted());
  const double most = share * rows + 2 * std::sqrt(std::max(share * (1 - share) * rows, 0.0));
  return static_cast<double>(summary.rows_trusted_above) > most;
}

std::string AboveText(const FitSummary& summary) {
  std::string first;
  auto add = [&](const std::string& name) { first += (first.empty() ? "" : ", ") + name; };
  for (const std::string& id : summary.ids_trusted_above) add(id);
  const bool has_ids = !first.empty();
  if (!has_ids) {
    for (const std::int64_t row : summary.first_trusted_above) add(std::to_string(row));
  }
  const double share = static_cast<double>(summary.rows_trusted_above) /
                       static_cast<double>(summary.num_distinct_trusted());
  return Count(summary.rows_trusted_above) + " (" + Percent(share) + ") would be dropped, first " +
         (has_ids ? "" : "rows ") + first + (has_ids ? "" : ", counted from 0") +
         ". Look at them: they are shifted, or about as many clean rows of the pool are lost";
}

}  // namespace

nlohmann::json ToJson(const FitWarning& warning) {
  return {{"about", warning.about}, {"text", warning.text}};
}

std::vector<FitWarning> WarningsOf(const FitSummary& summary, const FitOptions& options,
                                   std::int64_t dimension) {
  std::vector<FitWarning> warnings;
  if (summary.review) {
    for (const std::string& text : summary.review->warnings) {
      warnings.push_back({"reviewed rows", text});
    }
  }
  const std::int64_t invalid = summary.rows_invalid_trusted + summary.rows_invalid_pool;
  if (invalid > 0) {
    warnings.push_back({"invalid rows", Count(summary.rows_invalid_trusted) + " trusted, " +
                                            Count(summary.rows_invalid_pool) +
                                            " pool: null or non-finite, not used"});
  }
  if (summary.rows_trusted_repeated > 0) {
    warnings.push_back({"repeated trusted rows", RepeatedText(summary, options.recipe)});
  }
  if (summary.num_distinct_trusted() < FewTrustedRows(dimension)) {
    warnings.push_back({"few trusted rows", Count(summary.num_distinct_trusted()) +
                                                " of dimension " + Count(dimension) +
                                                ": with fewer than " +
                                                Count(FewTrustedRows(dimension)) +
                                                " shifts are missed that more would show"});
  }
  if (summary.separation && summary.separation->CanNotBeFound()) {
    warnings.push_back({"few groups", "with so few groups the test can reach p = " +
                                          Format("%.2g", *summary.separation->least_p_value) +
                                          " at best, and below 0.05 is needed to prove a shift; "
                                          "give more groups"});
  }
  if (summary.rows_trusted_in_pool > 0) {
    warnings.push_back({"trusted in pool", Count(summary.rows_trusted_in_pool) +
                                               " trusted rows are also in the pool (equal "
                                               "embeddings): any evaluation on it is too good"});
  }
  if (summary.rows_broken_trusted + summary.rows_broken_pool > 0) {
    warnings.push_back(
        {"values far out",
         Count(summary.rows_broken_trusted) + " trusted, " + Count(summary.rows_broken_pool) +
             " pool rows lie far beyond the trusted rows' values: " +
             (options.recipe == Recipe::kPaper ? "`--recipe paper` takes them as they are, and "
                                                 "few of them can decide about all others"
                                               : "they count as rows at their edge")});
  }
  if (summary.rows_trusted_nearly_in_pool > 0) {
    warnings.push_back({"trusted nearly in pool",
                        Count(summary.rows_trusted_nearly_in_pool) +
                            " trusted rows have a near copy in the pool, as after rounding: any "
                            "evaluation on it is too good"});
  }
  if (summary.normalization) {
    warnings.push_back({"normalization", NormalizationText(*summary.normalization)});
  }
  if (summary.found && summary.mix_explained > kMixWorthAWarning && options.stratify.empty()) {
    warnings.push_back(
        {"mix of classes", Percent(*summary.mix_explained) +
                               " of the difference is explained by few clusters of the trusted "
                               "rows that the pool has more of. That may be another mix of "
                               "classes, which is no shift: name their column with `--stratify`"});
  }
  if (ManyAbove(summary, options.decision)) {
    warnings.push_back({"trusted above threshold", AboveText(summary)});
  }
  if (!summary.found && summary.separation) {
    warnings.push_back({"verdict", NoShiftText(summary, options.decision)});
  }
  return warnings;
}

FitWarning WarningOfNoDistance() {
  return {"no distance",
          "this model was made before models had one: rows that lie far from all trusted rows are "
          "not told. Fit again"};
}

std::vector<FitWarning> WarningsOfModel(const FitSummary& summary, const Decision& decision,
                                        bool lacks_distance) {
  std::vector<FitWarning> warnings;
  if (lacks_distance) warnings.push_back(WarningOfNoDistance());
  if (summary.found || !summary.separation) return warnings;
  std::string text =
      "the fit of this model proved no shift (p = " + Format("%.2g", summary.separation->p_value) +
      ")";
  if (decision.DropsNone()) {
    text += ": it drops no row";
    if (decision.far == FarRows::kDrop) text += " but odd ones";
    text += ". Fit again, or name a `--threshold`";
  }
  warnings.push_back({"model", std::move(text)});
  return warnings;
}

std::optional<FitWarning> WarningOfDropped(const RowCounts& counts, const Decision& decision) {
  const std::int64_t valid = counts.in - counts.invalid;
  if (counts.dropped == 0 || decision.rule == "keep-share") return std::nullopt;
  const double share = static_cast<double>(counts.dropped) / static_cast<double>(valid);
  if (share < kNearlyAll) return std::nullopt;
  return FitWarning{"nearly all dropped",
                    Count(counts.dropped) + " of " + Count(valid) + " rows (" + Percent(share) +
                        "): check that both inputs are embedded in the same way, and that the "
                        "trusted rows are like those to keep"};
}

}  // namespace spuna
