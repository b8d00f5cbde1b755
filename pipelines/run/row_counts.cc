#include "pipelines/run/row_counts.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "pipelines/run/number_words.h"

namespace spuna {

nlohmann::json ToJson(const OddCounts& counts) {
  return {{"far", counts.far},
          {"zero", counts.zero},
          {"constant", counts.constant},
          {"repeated", counts.repeated}};
}

nlohmann::json ToJson(const FileCounts& counts) {
  return {{"listed", counts.listed},
          {"scored", counts.scored},
          {"unchanged", counts.unchanged},
          {"skipped", counts.skipped},
          {"failed", counts.failed},
          {"vanished", counts.vanished},
          {"pruned", counts.pruned},
          {"rows_scored", counts.rows_scored},
          {"rows_unchanged", counts.rows_unchanged}};
}

std::optional<LookEstimates> EstimatesOf(const RowCounts& counts) {
  const ReviewCounts& reviewed = counts.reviewed;
  if (reviewed.dropped.looks + reviewed.kept.looks == 0) return std::nullopt;
  // What the model decides: verdicts have moved some rows to the other side.
  const std::int64_t moved = reviewed.dropped.clean() - reviewed.kept.shifted();
  return EstimateFromLooks(reviewed, counts.dropped + moved, counts.kept - moved);
}

OddCounts OddCountsFrom(const nlohmann::json& from) {
  auto number = [&](const char* key) {
    const auto found = from.is_object() ? from.find(key) : from.end();
    return found != from.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
  };
  return {number("far"), number("zero"), number("constant"), number("repeated")};
}

std::string InWords(const OddCounts& counts) {
  const std::pair<std::int64_t, const char*> kinds[] = {{counts.far, "far from all trusted rows"},
                                                        {counts.zero, "of zeros"},
                                                        {counts.constant, "of one number"},
                                                        {counts.repeated, "that repeat"}};
  std::string words;
  for (const auto& [count, what] : kinds) {
    if (count == 0) continue;
    words += (words.empty() ? "" : ", ") + Count(count) + " " + what;
  }
  return words;
}

}  // namespace spuna
