#include "pipelines/jobs/summary.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "pipelines/jobs/aligned_lines.h"
#include "pipelines/options/json_text.h"
#include "pipelines/run/fit_warnings.h"
#include "pipelines/run/number_words.h"

namespace spuna {
namespace {

std::string Share(std::int64_t part, std::int64_t whole) {
  const double percent =
      whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  return Count(part) + " (" + Format("%.1f", percent) + " %)";
}

// Why no more rounds followed.
std::string StopWord(const std::string& stopped_by) {
  if (stopped_by == "entropy") return ", stopped by entropy";
  return stopped_by == "rounds" ? "" : ", stopped by exhaustion";
}

// What was learned from a person.
void AddReview(const ReviewSummary& review, Lines& lines) {
  const std::int64_t learned = review.shifted + review.clean - review.random;
  std::string text = Count(review.shifted) + " shifted, " + Count(review.clean) + " clean, " +
                     Count(review.unsure) + " unsure; " + Count(learned) + " of them learned";
  if (review.random > 0) text += ", " + Count(review.random) + " drawn at random for estimates";
  lines.emplace_back("reviewed rows", text);
}

void AddFit(const JobReport::Fit& fit, Lines& lines) {
  const FitSummary& summary = fit.summary;
  lines.emplace_back("trusted rows",
                     Count(summary.rows_trusted) + " of dimension " + Count(fit.dimension));
  lines.emplace_back("pool rows",
                     Count(summary.rows_pool) +
                         (summary.sampled_from
                              ? ", a sample of " + Count(*summary.sampled_from) + " (`--fit-rows`)"
                              : ""));
  for (const FitWarning& warning : WarningsOf(summary, fit.options, fit.dimension)) {
    lines.emplace_back(warning.about, warning.text);
  }
  if (summary.review) AddReview(*summary.review, lines);
  if (!summary.found && summary.separation) return;
  if (summary.separation) {
    const std::string p_value = "p = " + Format("%.2g", summary.separation->p_value);
    lines.emplace_back("verdict", summary.separation->Found()
                                      ? "shift (" + p_value + ")"
                                      : "shift: a person has seen it (" + p_value + ")");
  }
  if (summary.share) {
    const algorithms::Share& share = *summary.share;
    lines.emplace_back("share shifted", Format("%.1f", 100 * share.estimate) + " % (estimate; " +
                                            Format("%.1f", 100 * share.low) + " to " +
                                            Format("%.1f", 100 * share.high) + " % at 95 %)");
  }
  lines.emplace_back(
      "pseudo-labels",
      Count(summary.labeled_clean) + " clean, " + Count(summary.labeled_shifted) + " shifted, " +
          Count(summary.rows_pool - summary.labeled_clean - summary.labeled_shifted) +
          " left open");
  if (summary.rounds == 0 && summary.stopped_by == "rounds") {
    lines.emplace_back("rounds", "0: labels are refined where less than a third is shifted");
    return;
  }
  std::string entropy;
  for (const double value : summary.entropy) {
    entropy += (entropy.empty() ? "" : " ") + Format("%.3f", value);
  }
  lines.emplace_back("rounds", std::to_string(summary.rounds) + StopWord(summary.stopped_by) +
                                   "; entropy " + entropy);
}

// Why a row is dropped.
std::string Reason(const Decision& decision, std::int64_t num_dropped) {
  if (decision.p_value_cutoff) {
    return "p-value " + Format("%.4g", *decision.p_value_cutoff) + " or less (`--" + decision.rule +
           " " + Format("%g", decision.level) + "`, of which about twice is guaranteed)";
  }
  if (decision.DropsNone() && decision.rule.empty()) {
    return num_dropped > 0 ? "odd rows alone, since no shift was proven"
                           : "since no shift was proven";
  }
  if (decision.DropsNone()) {
    return "none can be within `--" + decision.rule + " " + Format("%g", decision.level) +
           "`; add trusted rows, or raise it";
  }
  std::string reason = "score " + Format("%.4g", decision.threshold) + " or more";
  if (decision.rule.empty() || decision.rule == "threshold") return reason;
  return reason + " (`--" + decision.rule + " " + Format("%g", decision.level) + "`)";
}

// Rows that are odd, and what happens to them.
void AddOddRows(const RowCounts& counts, const Decision& decision, Lines& lines) {
  if (counts.odd.all() == 0) return;
  const std::map<FarRows, std::string> fates = {{FarRows::kDrop, "dropped among these"},
                                                {FarRows::kKeep, "kept or dropped by score"},
                                                {FarRows::kNull, "neither kept nor dropped"}};
  const bool promises = decision.HasGuarantee() && decision.far == FarRows::kDrop;
  lines.emplace_back(
      "odd rows", InWords(counts.odd) + ": " +
                      (promises ? "dropped as far as the promise allows" : fates.at(decision.far)));
}

void AddScore(const JobReport::Score& score, Lines& lines) {
  const RowCounts& counts = score.counts;
  lines.emplace_back("rows in", Count(counts.in));
  if (score.by == ScoreBy::kNeighbors) return;
  const std::int64_t valid = counts.in - counts.invalid;
  lines.emplace_back(score.drop ? "rows kept" : "rows to keep", Share(counts.kept, valid));
  lines.emplace_back(score.drop ? "rows dropped" : "rows to drop",
                     Share(counts.dropped, valid) + ", " + Reason(score.decision, counts.dropped));
  if (score.drop && counts.invalid > 0) {
    lines.emplace_back("invalid rows", Count(counts.invalid) + ": null or non-finite, left out");
  }
  AddOddRows(counts, score.decision, lines);
  if (const auto warning = score.Warning()) lines.emplace_back(warning->about, warning->text);
}

// What looks at random say of the decision, and whether more of them are worth it.
void AddLooks(const JobReport& report, Lines& lines) {
  if (!report.review) return;
  for (const std::string& text : report.review->warnings) lines.emplace_back("reviewed rows", text);
  if (!report.review->is_learned) {
    lines.emplace_back("reviewed rows",
                       "verdicts decide their own rows; add `--refit` to learn from them");
  }
  const std::optional<LookEstimates> estimates =
      report.score ? EstimatesOf(report.score->counts) : std::nullopt;
  if (!estimates) return;
  for (const std::string& sentence : LookSentences(*estimates)) {
    lines.emplace_back("random looks", sentence);
  }
  if (const auto advice = StopAdvice(*estimates, report.review->last_agreeing)) {
    lines.emplace_back("looking", *advice);
  }
}

// "3 (a, b, c)", with some of the names.
std::string Named(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxShown = 3;
  std::string shown;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxShown); ++i) {
    shown += (i == 0 ? "" : ", ") + names[i];
  }
  return Count(static_cast<std::int64_t>(names.size())) + " (" + shown +
         (names.size() > kMaxShown ? ", …)" : ")");
}

// What was done to an output that was there.
void AddUpdate(const JobReport::Update& update, const Decision& decision, Lines& lines) {
  if (update.was_there) {
    std::string done;
    const std::pair<const char*, const std::vector<std::string>*> kinds[] = {
        {" new", &update.added},
        {" changed", &update.changed},
        {" missing, altered or never verified in the output, made again", &update.made_again},
        {" with other verdicts", &update.reviewed}};
    for (const auto& [word, names] : kinds) {
      if (!names->empty()) done += Named(*names) + word + ", ";
    }
    done += Count(static_cast<std::int64_t>(update.counts.unchanged)) + " unchanged";
    lines.emplace_back("files", done);
  }
  if (update.counts.pruned > 0) {
    lines.emplace_back("vanished", Named(update.vanished) + ": their outputs are removed");
  } else if (!update.vanished.empty()) {
    lines.emplace_back(
        "vanished",
        Named(update.vanished) + ": not in the input any more; `--prune` removes their outputs");
  }
  if (!update.altered.empty() && update.counts.pruned == 0) {
    lines.emplace_back("altered",
                       Named(update.altered) +
                           " of these: the outputs are not what was written, and can't be "
                           "made again");
  }
  if (update.files_after_fit > 0 && decision.HasGuarantee()) {
    lines.emplace_back("promise", "`--" + decision.rule +
                                      "` is proven for rows that were fitted; " +
                                      Count(static_cast<std::int64_t>(update.files_after_fit)) +
                                      " files came later, and for them it holds only as far as "
                                      "their clean rows are like the trusted ones");
  }
  if (!update.refit_reason.empty()) {
    lines.emplace_back("refit due", update.refit_reason + "; add `--refit`");
  }
}

void AddSkipped(const SkippedFiles& skipped, Lines& lines) {
  if (skipped.empty()) return;
  lines.emplace_back("files skipped",
                     Count(static_cast<std::int64_t>(skipped.size())) +
                         ": could not be read; the first: " + skipped.begin()->second.reason);
}

// The groups that are affected most.
void AddGroups(const JobReport::Groups& by, Lines& lines) {
  constexpr std::size_t kMaxShown = 5;
  for (std::size_t i = 0; i < std::min(by.groups.size(), kMaxShown); ++i) {
    const GroupCount& group = by.groups[i];
    lines.emplace_back(i == 0 ? "by " + by.column : "",
                       group.value + ": " + Count(group.dropped) + " of " + Count(group.rows) +
                           " dropped (" + Percent(group.share) + "; " + Percent(group.low) +
                           " to " + Percent(group.high) + ")");
  }
  if (by.groups.size() > kMaxShown) {
    lines.emplace_back(
        "", "and " + Count(static_cast<std::int64_t>(by.groups.size() - kMaxShown)) + " more");
  }
}

void AddFindings(const JobReport& report, Lines& lines) {
  if (report.distance) {
    lines.emplace_back(
        "distance",
        std::string(report.distance->reach == algorithms::ShiftReach::kFar ? "far" : "near") +
            ": " + Format("%.2g", report.distance->in_spreads) +
            " times the trusted rows' spread, cosine " + Format("%.2g", report.distance->cosine));
  }
  if (!report.kinds.empty()) {
    std::string sizes;
    for (const std::int64_t size : report.kinds) sizes += (sizes.empty() ? "" : ", ") + Count(size);
    lines.emplace_back("kinds of shift", Count(static_cast<std::int64_t>(report.kinds.size())) +
                                             ", of " + sizes + " rows");
  }
  for (const JobReport::Groups& by : report.groups) AddGroups(by, lines);
  if (report.files_explained) {
    lines.emplace_back("findings", "of the " + FilesScored(*report.files_explained));
  }
}

}  // namespace

std::string Summarize(const JobReport& report, const std::string& written_to) {
  Lines lines;
  if (report.fit) AddFit(*report.fit, lines);
  for (const FitWarning& warning : report.model_warnings) {
    lines.emplace_back(warning.about, warning.text);
  }
  if (report.score) AddScore(*report.score, lines);
  AddLooks(report, lines);
  if (report.update && report.score) AddUpdate(*report.update, report.score->decision, lines);
  AddFindings(report, lines);
  if (!report.fit && report.score && !report.score->drop && report.score->counts.invalid > 0) {
    lines.emplace_back("invalid rows",
                       Count(report.score->counts.invalid) + ": null or non-finite");
  }
  AddSkipped(report.skipped, lines);
  if (report.was_done) {
    lines.emplace_back("nothing to do", "the output is up to date");
  }
  const auto total = report.seconds.find("total");
  if (total != report.seconds.end()) lines.emplace_back("seconds", Format("%.1f", total->second));
  if (!written_to.empty()) lines.emplace_back("written to", written_to);
  if (report.reasons) lines.emplace_back("reasons", *report.reasons);
  if (report.page) lines.emplace_back("report", *report.page);
  return Align(lines);
}

std::string Summarize(const Evaluation& evaluation) {
  Lines lines = {{"rows", Count(evaluation.rows)},
                 {"AUROC", Format("%.4f", evaluation.metrics.auroc)},
                 {"AUPR", Format("%.4f", evaluation.metrics.aupr)},
                 {"FPR95", Format("%.4f", evaluation.metrics.fpr95)}};
  if (evaluation.rows_skipped > 0)
    lines.emplace_back("rows skipped", Count(evaluation.rows_skipped));
  return Align(lines);
}

std::string Summarize(const MonitorReport& report) {
  const WatchedBatch& batch = report.batch();
  const RowCounts& counts = report.counts;
  const std::int64_t valid = counts.in - counts.invalid;
  Lines lines;
  lines.emplace_back(
      "batch", Count(static_cast<std::int64_t>(batch.batch)) + " (" + Count(counts.in) + " rows)");
  for (const FitWarning& warning : report.model_warnings) {
    lines.emplace_back(warning.about, warning.text);
  }
  lines.emplace_back("rows to keep", Share(counts.kept, valid));
  lines.emplace_back("rows to drop",
                     Share(counts.dropped, valid) + ", " + Reason(report.decision, counts.dropped));
  AddOddRows(counts, report.decision, lines);
  if (counts.invalid > 0) {
    lines.emplace_back("invalid rows", Count(counts.invalid) + ": null or non-finite");
  }
  lines.emplace_back("share shifted", Format("%.1f", 100 * batch.share.estimate) +
                                          " % of this batch (estimate; " +
                                          Format("%.1f", 100 * batch.share.low) + " to " +
                                          Format("%.1f", 100 * batch.share.high) + " % at 95 %)");
  const auto first = std::ranges::find_if(report.history, &WatchedBatch::found);
  const std::string p_value = "p = " + Format("%.2g", report.p_value);
  lines.emplace_back(
      "shift", first != report.history.end()
                   ? "detected (" + p_value + "), first in batch " + std::to_string(first->batch) +
                         " of " + std::to_string(batch.batch)
                   : "not detected in " + Count(static_cast<std::int64_t>(batch.batch)) +
                         (batch.batch == 1 ? " batch (" : " batches (") + p_value + "; " +
                         Format("%g", report.options.level) + " or less is needed)");
  return Align(lines);
}

std::string Summarize(const ReviewReport& report) {
  Lines lines;
  if (report.fit) AddFit(*report.fit, lines);
  std::string chosen;
  for (const auto& [why, count] : report.chosen) {
    chosen += (chosen.empty() ? "" : "; ") + Count(count) + " " + why;
  }
  lines.emplace_back("rows to look at",
                     Count(static_cast<std::int64_t>(report.list.rows.size())) + ": " + chosen);
  if (!report.list.answered.empty()) {
    lines.emplace_back("answered",
                       Count(static_cast<std::int64_t>(report.list.answered.size())) +
                           " calibration rows were chosen too; they are known to be clean");
  }
  if (report.reviewed_before > 0) {
    lines.emplace_back("reviewed before", Count(report.reviewed_before) + ", left out");
  }
  AddSkipped(report.skipped, lines);
  lines.emplace_back("seconds", Format("%.1f", report.seconds.at("total")));
  if (report.page) lines.emplace_back("page", *report.page);
  if (report.table) lines.emplace_back("list", *report.table);
  lines.emplace_back("next", "open the page, mark the rows, save; then `" + report.list.next + "`");
  return Align(lines);
}

std::string Summarize(const Model& model) {
  Lines lines;
  const nlohmann::json described = model.Describe();
  auto add = [&](const std::string& label, const nlohmann::json& value) {
    lines.emplace_back(label, value.is_string() ? value.get<std::string>() : DumpJson(value));
  };
  for (const auto& [name, value] : described.items()) {
    const bool is_section = value.is_object() && name != "banks";
    if (!is_section) add(name, value);
  }
  for (const char* section : {"options", "fit", "calibration", "versions"}) {
    for (const auto& [name, value] : described[section].items()) {
      add(std::string(section) + "." + name, value);
    }
  }
  return Align(lines);
}

}  // namespace spuna
