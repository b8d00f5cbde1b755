#include "pipelines/run/fit_warnings.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipelines/run/number_words.h"

namespace spuna {
namespace {

// Below it the test misses shifts that more rows would show; docs/architecture.md has the figures.
constexpr std::int64_t kFewTrustedRows = 200;

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

}  // namespace

nlohmann::json ToJson(const FitWarning& warning) {
  return {{"about", warning.about}, {"text", warning.text}};
}

std::vector<FitWarning> WarningsOf(const FitSummary& summary, const DecisionOptions& decision,
                                   std::int64_t dimension) {
  std::vector<FitWarning> warnings;
  const std::int64_t invalid = summary.rows_invalid_trusted + summary.rows_invalid_pool;
  if (invalid > 0) {
    warnings.push_back({"invalid rows", Count(summary.rows_invalid_trusted) + " trusted, " +
                                            Count(summary.rows_invalid_pool) +
                                            " pool: null or non-finite, not used"});
  }
  if (summary.rows_trusted < kFewTrustedRows) {
    warnings.push_back({"few trusted rows", Count(summary.rows_trusted) + " of dimension " +
                                                Count(dimension) + ": with fewer than " +
                                                Count(kFewTrustedRows) +
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
  if (summary.rows_beyond_trusted + summary.rows_beyond_pool > 0) {
    warnings.push_back({"values far out", Count(summary.rows_beyond_trusted) + " trusted, " +
                                              Count(summary.rows_beyond_pool) +
                                              " pool rows lie far beyond the trusted rows' values; "
                                              "they are clipped there (not in `recipe` paper)"});
  }
  if (!summary.found && summary.separation) {
    warnings.push_back({"verdict", NoShiftText(summary, decision)});
  }
  return warnings;
}

std::vector<FitWarning> WarningsOfModel(const FitSummary& summary, const Decision& decision,
                                        bool lacks_distance) {
  std::vector<FitWarning> warnings;
  if (lacks_distance) {
    warnings.push_back({"no distance",
                        "this model was made before models had one: rows that lie "
                        "far from all trusted rows are not told. Fit again"});
  }
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

}  // namespace spuna
