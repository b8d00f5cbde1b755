#include "pipelines/run/fit_summary.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "pipelines/options/option_words.h"

namespace spuna {

using nlohmann::json;

namespace {

FitChoices ChoicesFromJson(const json& from) {
  FitChoices choices;
  choices.switches.metric = FromWord<algorithms::Metric>(from.at("metric").get<std::string>());
  choices.switches.seeds = FromWord<algorithms::Seeds>(from.at("seeds").get<std::string>());
  choices.switches.discriminant = FromWord<bool>(from.at("discriminant").get<std::string>());
  choices.switches.sides = FromWord<algorithms::Sides>(from.at("sides").get<std::string>());
  choices.switches.targets = FromWord<algorithms::Targets>(from.at("targets").get<std::string>());
  choices.alpha = from.at("alpha").get<std::int64_t>();
  choices.beta = from.at("beta").get<std::int64_t>();
  choices.k = from.at("k").get<std::int64_t>();
  choices.hidden = from.at("hidden").get<std::int64_t>();
  choices.epochs = from.at("epochs").get<std::int64_t>();
  if (choices.k < 1) throw std::invalid_argument("expected `k` of at least 1");
  return choices;
}

json ToJson(const algorithms::NormalizationGap& gap) {
  return {{"scale", gap.scale},
          {"offset", gap.offset},
          {"unit_trusted", gap.unit_trusted},
          {"unit_pool", gap.unit_pool},
          {"trusted_length", gap.trusted_length},
          {"pool_length", gap.pool_length}};
}

algorithms::NormalizationGap GapFromJson(const json& from) {
  algorithms::NormalizationGap gap;
  gap.scale = from.at("scale").get<double>();
  gap.offset = from.at("offset").get<double>();
  gap.unit_trusted = from.at("unit_trusted").get<bool>();
  gap.unit_pool = from.at("unit_pool").get<bool>();
  gap.trusted_length = from.at("trusted_length").get<double>();
  gap.pool_length = from.at("pool_length").get<double>();
  return gap;
}

constexpr std::pair<const char*, std::int64_t ReviewSummary::*> kReviewCounts[] = {
    {"shifted", &ReviewSummary::shifted},   {"clean", &ReviewSummary::clean},
    {"unsure", &ReviewSummary::unsure},     {"random", &ReviewSummary::random},
    {"outside", &ReviewSummary::outside},   {"unknown", &ReviewSummary::unknown},
    {"repeated", &ReviewSummary::repeated}, {"contradicting", &ReviewSummary::contradicting},
};

json ToJson(const ReviewSummary& review) {
  json described = {{"hash", review.hash}};
  for (const auto& [name, count] : kReviewCounts) described[name] = review.*count;
  return described;
}

ReviewSummary ReviewFromJson(const json& from) {
  ReviewSummary review;
  review.hash = from.value("hash", "");
  for (const auto& [name, count] : kReviewCounts) review.*count = from.value(name, std::int64_t{0});
  return review;
}

}  // namespace

std::optional<Verdict> VerdictOf(const FitSummary& summary) {
  if (!summary.separation) return std::nullopt;
  if (summary.found) return Verdict::kShift;
  const bool few = summary.share && summary.share->high <= kNegligibleShare;
  return few ? Verdict::kNone : Verdict::kUndecided;
}

std::optional<std::int64_t> TrustedRowsToSettle(const FitSummary& summary) {
  if (VerdictOf(summary) != Verdict::kUndecided || !summary.share) return std::nullopt;
  constexpr double kMostTimes = 20;
  const double reach = summary.share->high - summary.share->estimate;
  const double wanted =
      std::max(kNegligibleShare - summary.share->estimate, summary.share->estimate);
  const double times = (reach / wanted) * (reach / wanted);
  if (!(times <= kMostTimes)) return std::nullopt;
  const double more =
      std::max(times - 1, 0.0) * static_cast<double>(summary.num_distinct_trusted());
  // Two digits say enough.
  const double unit = std::pow(10, std::max(std::floor(std::log10(std::max(more, 1.0))) - 1, 1.0));
  return static_cast<std::int64_t>(std::max(std::ceil(more / unit), 1.0) * unit);
}

json ToJson(const FitSummary& summary, Recipe recipe) {
  json chosen = ToJson(summary.choices);
  chosen["rule"] = ChoiceRule(recipe);
  json shift = {{"found", summary.found}};
  if (summary.separation) {
    shift["auroc"] = summary.separation->auroc;
    shift["p_value"] = summary.separation->p_value;
    if (const auto& least = summary.separation->least_p_value) shift["least_p_value"] = *least;
  }
  if (summary.share) shift["share"] = ToJson(*summary.share);
  if (const std::optional<Verdict> verdict = VerdictOf(summary))
    shift["verdict"] = ToWord(*verdict);
  if (summary.highest_scores_from) shift["highest_scores_from"] = *summary.highest_scores_from;
  json described = {
      {"chosen", chosen},
      {"shift", shift},
      {"rows_trusted", summary.rows_trusted},
      {"rows_pool", summary.rows_pool},
      {"rows_invalid_trusted", summary.rows_invalid_trusted},
      {"rows_invalid_pool", summary.rows_invalid_pool},
      {"rows_trusted_repeated", summary.rows_trusted_repeated},
      {"rows_trusted_in_pool", summary.rows_trusted_in_pool},
      {"rows_beyond_trusted", summary.rows_beyond_trusted},
      {"rows_beyond_pool", summary.rows_beyond_pool},
      {"rows_broken_trusted", summary.rows_broken_trusted},
      {"rows_broken_pool", summary.rows_broken_pool},
      {"rows_trusted_nearly_in_pool", summary.rows_trusted_nearly_in_pool},
      {"rows_trusted_above", summary.rows_trusted_above},
      {"first_trusted_above", summary.first_trusted_above},
      {"rows_calibration", summary.rows_calibration},
      {"rounds", summary.rounds},
      {"entropy", summary.entropy},
      {"stopped_by", summary.stopped_by},
      {"labeled", {{"clean", summary.labeled_clean}, {"shifted", summary.labeled_shifted}}}};
  if (summary.normalization) described["normalization"] = ToJson(*summary.normalization);
  if (summary.mix_explained) described["mix_explained"] = *summary.mix_explained;
  if (summary.sampled_from) described["sampled_from"] = *summary.sampled_from;
  if (summary.review) described["review"] = ToJson(*summary.review);
  return described;
}

FitSummary FitSummaryFromJson(const json& from) {
  FitSummary summary;
  summary.rows_trusted = from.at("rows_trusted").get<std::int64_t>();
  summary.rows_pool = from.at("rows_pool").get<std::int64_t>();
  summary.rows_invalid_trusted = from.at("rows_invalid_trusted").get<std::int64_t>();
  summary.rows_invalid_pool = from.at("rows_invalid_pool").get<std::int64_t>();
  summary.rows_trusted_in_pool = from.at("rows_trusted_in_pool").get<std::int64_t>();
  // Models of earlier releases do not say these.
  summary.rows_beyond_trusted = from.value("rows_beyond_trusted", std::int64_t{0});
  summary.rows_beyond_pool = from.value("rows_beyond_pool", std::int64_t{0});
  summary.rows_broken_trusted = from.value("rows_broken_trusted", std::int64_t{0});
  summary.rows_broken_pool = from.value("rows_broken_pool", std::int64_t{0});
  summary.rows_trusted_repeated = from.value("rows_trusted_repeated", std::int64_t{0});
  summary.rows_trusted_nearly_in_pool = from.value("rows_trusted_nearly_in_pool", std::int64_t{0});
  summary.rows_trusted_above = from.value("rows_trusted_above", std::int64_t{0});
  summary.first_trusted_above = from.value("first_trusted_above", std::vector<std::int64_t>());
  if (from.contains("normalization")) {
    summary.normalization = GapFromJson(from.at("normalization"));
  }
  if (from.contains("mix_explained")) {
    summary.mix_explained = from.at("mix_explained").get<double>();
  }
  if (from.contains("review")) summary.review = ReviewFromJson(from.at("review"));
  summary.rows_calibration = from.at("rows_calibration").get<std::int64_t>();
  summary.choices = ChoicesFromJson(from.at("chosen"));
  const json& shift = from.at("shift");
  summary.found = shift.at("found").get<bool>();
  if (!summary.found || shift.contains("auroc")) {
    summary.separation = {shift.at("auroc").get<double>(), shift.at("p_value").get<double>(), {}};
    if (shift.contains("least_p_value")) {
      summary.separation->least_p_value = shift.at("least_p_value").get<double>();
    }
  }
  if (shift.contains("share")) {
    const json& share = shift.at("share");
    summary.share = {share.at("estimate").get<double>(), share.at("low").get<double>(),
                     share.at("high").get<double>()};
  }
  if (shift.contains("highest_scores_from")) {
    summary.highest_scores_from = shift.at("highest_scores_from").get<double>();
  }
  summary.rounds = from.at("rounds").get<std::int64_t>();
  summary.entropy = from.at("entropy").get<std::vector<double>>();
  summary.stopped_by = from.at("stopped_by").get<std::string>();
  summary.labeled_clean = from.at("labeled").at("clean").get<std::int64_t>();
  summary.labeled_shifted = from.at("labeled").at("shifted").get<std::int64_t>();
  if (from.contains("sampled_from")) {
    summary.sampled_from = from.at("sampled_from").get<std::int64_t>();
  }
  return summary;
}

json ToJson(const FitChoices& choices) {
  return {{"metric", ToWord(choices.switches.metric)},
          {"seeds", ToWord(choices.switches.seeds)},
          {"discriminant", ToWord(choices.switches.discriminant)},
          {"sides", ToWord(choices.switches.sides)},
          {"targets", ToWord(choices.switches.targets)},
          {"alpha", choices.alpha},
          {"beta", choices.beta},
          {"k", choices.k},
          {"hidden", choices.hidden},
          {"epochs", choices.epochs}};
}

std::string ToWord(Verdict verdict) {
  switch (verdict) {
    case Verdict::kShift:
      return "shift";
    case Verdict::kNone:
      return "none";
    case Verdict::kUndecided:
      break;
  }
  return "undecided";
}

json ToJson(const algorithms::Share& share) {
  return {{"estimate", share.estimate}, {"low", share.low}, {"high", share.high}};
}

}  // namespace spuna
