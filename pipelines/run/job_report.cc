#include "pipelines/run/job_report.h"

#include <nlohmann/json.hpp>

#include "pipelines/options/option_words.h"
#include "pipelines/run/number_words.h"

namespace spuna {

nlohmann::json SkippedToJson(const SkippedFiles& skipped) {
  nlohmann::json files = nlohmann::json::array();
  for (const auto& [path, file] : skipped) {
    files.push_back({{"path", path}, {"reason", file.reason}, {"kind", NameOf(file.kind)}});
  }
  return files;
}

std::string FilesScored(std::size_t num_files) {
  return Count(static_cast<std::int64_t>(num_files)) + (num_files == 1 ? " file" : " files") +
         " scored by this run";
}

namespace {

void Describe(const JobReport::Fit& report, nlohmann::json& json) {
  const FitSummary& fit = report.summary;
  json["recipe"] = ToWord(report.options.recipe);
  json["embedding"] = report.options.embedding;
  json["dimension"] = report.dimension;
  json["alpha"] = fit.choices.alpha;
  json["beta"] = fit.choices.beta;
  json["k"] = fit.choices.k;
  json["seed"] = report.options.seed;
  json["rows_trusted"] = fit.rows_trusted;
  json["rows_pool"] = fit.rows_pool;
  json["rows_sampled_from"] = fit.sampled_from.value_or(fit.rows_pool + fit.rows_invalid_pool);
  json["rows_invalid"] = fit.rows_invalid_trusted + fit.rows_invalid_pool;
  json["rows_invalid_trusted"] = fit.rows_invalid_trusted;
  json["rows_invalid_pool"] = fit.rows_invalid_pool;
  json["rows_trusted_repeated"] = fit.rows_trusted_repeated;
  json["rows_trusted_in_pool"] = fit.rows_trusted_in_pool;
  json["rows_beyond_trusted"] = fit.rows_beyond_trusted;
  json["rows_beyond_pool"] = fit.rows_beyond_pool;
  json["rows_broken_trusted"] = fit.rows_broken_trusted;
  json["rows_broken_pool"] = fit.rows_broken_pool;
  json["rows_trusted_nearly_in_pool"] = fit.rows_trusted_nearly_in_pool;
  json["rows_trusted_above"] = fit.rows_trusted_above;
  json["chosen"] = ToJson(fit.choices);
  json["chosen"]["rule"] = ChoiceRule(report.options.recipe);
  json["shift_found"] = fit.found;
  json["verdict"] = nullptr;
  json["shift_test"] = nullptr;
  if (fit.separation) {
    json["verdict"] = ToWord(*VerdictOf(fit));
    json["shift_test"] = {{"p_value", fit.separation->p_value}, {"found", fit.found}};
    if (const auto& least = fit.separation->least_p_value) {
      json["shift_test"]["least_p_value"] = *least;
    }
    json["separation"] = {{"auroc", fit.separation->auroc}, {"p_value", fit.separation->p_value}};
  }
  json["share_shifted"] = fit.share ? ToJson(*fit.share) : nlohmann::json();
  if (fit.mix_explained) json["mix_explained"] = *fit.mix_explained;
  if (fit.highest_scores_from) json["highest_scores_from"] = *fit.highest_scores_from;
  if (const auto more = TrustedRowsToSettle(fit)) json["trusted_rows_to_settle"] = *more;
  json["rows_calibration"] = fit.rows_calibration;
  json["rounds"] = fit.rounds;
  json["entropy"] = fit.entropy;
  json["stopped_by"] = fit.stopped_by;
  json["labeled"] = {{"clean", fit.labeled_clean}, {"shifted", fit.labeled_shifted}};
}

void Describe(const JobReport::Score& report, nlohmann::json& json) {
  json["rows_in"] = report.counts.in;
  json["files"] = report.num_files;
  if (report.by == ScoreBy::kNeighbors) return;
  json["rows_kept"] = report.counts.kept;
  json["rows_dropped"] = report.counts.dropped;
  json["rows_undecided"] = report.counts.undecided;
  json["rows_odd"] = ToJson(report.counts.odd);
  const Decision& decision = report.decision;
  json["threshold"] =
      decision.NeedsPValues() ? nlohmann::json() : nlohmann::json(decision.threshold);
  json["decision"] = ToJson(decision);
}

void Describe(const JobReport::Review& review, const JobReport& report, nlohmann::json& json) {
  nlohmann::json described = nlohmann::json::object();
  if (report.fit && report.fit->summary.review) {
    described = ToJson(report.fit->summary, report.fit->options.recipe).at("review");
  }
  described["learned"] = review.is_learned;
  described["last_agreeing"] = review.last_agreeing;
  described["estimates"] = nullptr;
  described["advice"] = nullptr;
  if (const auto estimates = report.score ? EstimatesOf(report.score->counts) : std::nullopt) {
    described["estimates"] = ToJson(*estimates);
    if (const auto advice = StopAdvice(*estimates, review.last_agreeing)) {
      described["advice"] = *advice;
    }
  }
  json["review"] = described;
}

void Describe(const JobReport::Update& update, nlohmann::json& json) {
  json["file_counts"] = ToJson(update.counts);
  json["update"] = {{"was_there", update.was_there}, {"added", update.added},
                    {"changed", update.changed},     {"made_again", update.made_again},
                    {"reviewed", update.reviewed},   {"vanished", update.vanished},
                    {"altered", update.altered},     {"files_after_fit", update.files_after_fit}};
  json["refit"] = {{"due", !update.refit_reason.empty()}, {"reason", update.refit_reason}};
}

}  // namespace

std::optional<FitWarning> JobReport::Score::Warning() const {
  if (by == ScoreBy::kNeighbors) return std::nullopt;
  return WarningOfDropped(counts, decision);
}

std::vector<FitWarning> JobReport::Warnings() const {
  std::vector<FitWarning> warnings;
  if (fit) {
    warnings = WarningsOf(fit->summary, fit->options, fit->dimension);
  } else {
    warnings = model_warnings;
  }
  if (score) {
    if (const auto warning = score->Warning()) warnings.push_back(*warning);
  }
  return warnings;
}

nlohmann::json ToJson(const JobReport& report) {
  nlohmann::json json = {{"seconds", report.seconds},
                         {"peak_memory_bytes", report.peak_memory_bytes}};
  json["warnings"] = nlohmann::json::array();
  for (const FitWarning& warning : report.Warnings()) {
    json["warnings"].push_back(ToJson(warning));
  }
  if (report.fit) Describe(*report.fit, json);
  if (report.score) Describe(*report.score, json);
  if (report.update) Describe(*report.update, json);
  if (report.review) Describe(*report.review, report, json);
  if (report.score && !report.fit) json["rows_invalid"] = report.score->counts.invalid;
  for (const JobReport::Groups& by : report.groups) {
    nlohmann::json groups = nlohmann::json::array();
    for (const GroupCount& group : by.groups) groups.push_back(ToJson(group));
    json["groups"][by.column] = groups;
  }
  if (report.distance) {
    json["shift_distance"] = {
        {"cosine", report.distance->cosine},
        {"euclidean", report.distance->euclidean},
        {"in_spreads", report.distance->in_spreads},
        {"reach", report.distance->reach == algorithms::ShiftReach::kFar ? "far" : "near"}};
  }
  if (!report.kinds.empty()) json["kinds"] = report.kinds;
  if (report.files_explained) json["files_explained"] = *report.files_explained;
  if (report.reasons) json["reasons"] = *report.reasons;
  if (report.page) json["report"] = *report.page;
  json["skipped"] = SkippedToJson(report.skipped);
  if (report.was_done) json["was_done"] = true;
  return json;
}

nlohmann::json ToJson(const GroupCount& group) {
  return {{"value", group.value}, {"rows", group.rows}, {"dropped", group.dropped},
          {"share", group.share}, {"low", group.low},   {"high", group.high}};
}

nlohmann::json ToJson(const Evaluation& evaluation) {
  return {{"auroc", evaluation.metrics.auroc},
          {"aupr", evaluation.metrics.aupr},
          {"fpr95", evaluation.metrics.fpr95},
          {"rows", evaluation.rows},
          {"rows_skipped", evaluation.rows_skipped}};
}

}  // namespace spuna
