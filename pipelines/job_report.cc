#include <nlohmann/json.hpp>

#include "pipelines/jobs.h"
#include "pipelines/option_words.h"

namespace spuna {

nlohmann::json SkippedToJson(const std::map<std::string, std::string>& skipped) {
  nlohmann::json files = nlohmann::json::array();
  for (const auto& [path, reason] : skipped) files.push_back({{"path", path}, {"reason", reason}});
  return files;
}

nlohmann::json ToJson(const JobReport& report) {
  nlohmann::json json = {{"seconds", report.seconds},
                         {"peak_memory_bytes", report.peak_memory_bytes}};
  if (report.fit) {
    const FitSummary& fit = report.fit->summary;
    json["recipe"] = ToWord(report.fit->options.recipe);
    json["embedding"] = report.fit->options.embedding;
    json["dimension"] = report.fit->dimension;
    json["alpha"] = fit.choices.alpha;
    json["beta"] = fit.choices.beta;
    json["k"] = fit.choices.k;
    json["seed"] = report.fit->options.seed;
    json["rows_trusted"] = fit.rows_trusted;
    json["rows_pool"] = fit.rows_pool;
    json["rows_sampled_from"] = fit.sampled_from.value_or(fit.rows_pool + fit.rows_invalid_pool);
    json["rows_invalid"] = fit.rows_invalid_trusted + fit.rows_invalid_pool;
    json["rows_invalid_trusted"] = fit.rows_invalid_trusted;
    json["rows_invalid_pool"] = fit.rows_invalid_pool;
    json["rows_trusted_in_pool"] = fit.rows_trusted_in_pool;
    json["chosen"] = ToJson(fit.choices);
    json["chosen"]["rule"] = ChoiceRule(report.fit->options.recipe);
    json["shift_found"] = fit.found;
    if (fit.separation) {
      json["separation"] = {{"auroc", fit.separation->auroc}, {"p_value", fit.separation->p_value}};
    }
    if (fit.share) json["share_shifted"] = {{"estimate", *fit.share}};
    json["rounds"] = fit.rounds;
    json["entropy"] = fit.entropy;
    json["stopped_by"] = fit.stopped_by;
    json["labeled"] = {{"clean", fit.labeled_clean}, {"shifted", fit.labeled_shifted}};
  }
  if (report.score) {
    const RowCounts& counts = report.score->counts;
    json["rows_in"] = counts.in;
    if (report.score->by == ScoreBy::kClassifier) {
      json["rows_kept"] = counts.kept;
      json["rows_dropped"] = counts.dropped;
      json["threshold"] = report.score->threshold;
    }
    if (!report.fit) json["rows_invalid"] = counts.invalid;
    json["files"] = report.score->num_files;
  }
  json["skipped"] = SkippedToJson(report.skipped);
  if (report.was_done) json["was_done"] = true;
  return json;
}

nlohmann::json ToJson(const Evaluation& evaluation) {
  return {{"auroc", evaluation.metrics.auroc},
          {"aupr", evaluation.metrics.aupr},
          {"fpr95", evaluation.metrics.fpr95},
          {"rows", evaluation.rows},
          {"rows_skipped", evaluation.rows_skipped}};
}

}  // namespace spuna
