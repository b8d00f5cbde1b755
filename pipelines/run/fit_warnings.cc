#include "pipelines/run/fit_warnings.h"

#include <algorithm>

#include "pipelines/run/number_words.h"

namespace spuna {
namespace {

// Below it the test misses shifts that more rows would show; docs/architecture.md has the figures.
constexpr std::int64_t kFewTrustedRows = 200;

std::string NoShiftText(const FitSummary& summary, const DecisionOptions& decision) {
  std::string text = "No shift proven (p = " + Format("%.2g", summary.separation->p_value) +
                     "; 0.05 or less is needed)";
  if (decision.IsSet()) return text + "; rows are dropped by the rule that was asked for";
  text += ": nothing dropped.";
  if (summary.share) {
    text += " Up to " + Percent(summary.share->high) + " of the pool could still be shifted;";
  }
  return text + " look at the highest scores, or use `--max-clean-loss 0.02`";
}

}  // namespace

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
  if (summary.rows_trusted_in_pool > 0) {
    warnings.push_back({"trusted in pool", Count(summary.rows_trusted_in_pool) +
                                               " trusted rows are also in the pool (equal "
                                               "embeddings): any evaluation on it is too good"});
  }
  if (!summary.found && summary.separation) {
    warnings.push_back({"shift", NoShiftText(summary, decision)});
  }
  return warnings;
}

}  // namespace spuna
