#include "pipelines/report/report_words.h"

#include <algorithm>
#include <cctype>

#include "pipelines/run/fit_warnings.h"
#include "pipelines/run/job_report.h"
#include "pipelines/run/number_words.h"

namespace spuna {
namespace {

std::string UndecidedSentence(const FitSummary& summary, const std::string& p) {
  std::string sentence = "Verdict: undecided. No shift is proven (" + p + ", below 0.05 needed)";
  if (!summary.share) return sentence + ".";
  sentence += ", but up to " + Percent(summary.share->high) + " of the pool could be shifted.";
  if (const std::optional<std::int64_t> more = TrustedRowsToSettle(summary)) {
    sentence += " About " + Count(*more) + " more trusted rows would settle it.";
  }
  if (summary.highest_scores_from) {
    sentence += " Look at the " + Count(kRowsToLookAt) + " rows that score highest, at least " +
                Format("%.3g", *summary.highest_scores_from) + ".";
  }
  return sentence;
}

std::string DecisionSentence(const Decision& decision) {
  if (decision.rule.empty() && decision.DropsNone()) {
    return "No row is dropped, since no shift is proven.";
  }
  const std::string level = Percent(decision.level);
  if (decision.rule == "max-clean-loss") {
    const std::string how =
        decision.p_value_cutoff
            ? "The rows of lowest p-value are dropped"
            : Format("Rows scoring at least %.4g are dropped", decision.threshold);
    const std::string about =
        decision.p_value_cutoff ? " (about twice as many are guaranteed)" : "";
    return how + ", so that of the clean rows at most " + level + " are lost in expectation" +
           about + ".";
  }
  if (decision.rule == "max-false-drops") {
    if (decision.DropsNone()) {
      return "No row can be dropped with at most " + level + " of the dropped rows being clean.";
    }
    return "Rows are dropped so that of the dropped rows at most " + level +
           " are clean in expectation.";
  }
  if (decision.rule == "keep-share") {
    return Format("Rows scoring at least %.4g are dropped", decision.threshold) + ", to keep " +
           level + " of the rows that were fitted.";
  }
  return Format("Rows scoring at least %.4g are dropped.", decision.threshold);
}

// What a fit found out about its pool.
void AddVerdict(const FitSummary& summary, std::vector<std::string>& sentences) {
  if (summary.separation) {
    const std::string p = Format("p = %.3g", summary.separation->p_value);
    switch (*VerdictOf(summary)) {
      case Verdict::kShift:
        sentences.push_back(summary.separation->Found()
                                ? "Verdict: shift. The pool differs from the trusted rows (" + p +
                                      ")."
                                : "Verdict: shift. A person has seen shifted rows (" + p + ").");
        break;
      case Verdict::kNone:
        sentences.push_back("Verdict: none. No shift is proven (" + p + "), and at most " +
                            Percent(summary.share->high) + " of the pool could be shifted.");
        break;
      case Verdict::kUndecided:
        sentences.push_back(UndecidedSentence(summary, p));
        break;
    }
  }
  if (summary.share && summary.found) {
    sentences.push_back("About " + Percent(summary.share->estimate) +
                        " of the pool are shifted, with 95 % confidence " +
                        Percent(summary.share->low) + " to " + Percent(summary.share->high) +
                        ". The lower figure holds in any case; the others if few shifted rows look "
                        "like the cleaner half of the trusted rows, which no data can show.");
  }
}

// What a person said, and what random looks say of the decision.
void AddLooks(const ReportContents& contents, std::vector<std::string>& sentences) {
  const RowCounts& counts = contents.pool_pass.counts;
  const std::int64_t shifted = counts.reviewed.dropped.shifted() + counts.reviewed.kept.shifted();
  const std::int64_t clean = counts.reviewed.dropped.clean() + counts.reviewed.kept.clean();
  if (shifted + clean + counts.reviewed.unsure == 0) return;
  sentences.push_back("A person has looked at rows: " + Count(shifted) + " shifted, " +
                      Count(clean) + " clean, " + Count(counts.reviewed.unsure) +
                      " unsure. Shifted ones are dropped and clean ones kept.");
  const std::optional<LookEstimates> estimates = EstimatesOf(counts);
  if (!estimates) return;
  for (std::string sentence : LookSentences(*estimates)) {
    sentence.front() = static_cast<char>(std::toupper(sentence.front()));
    sentences.push_back(sentence + ".");
  }
}

// How the dropped rows differ from the trusted ones.
void AddDifference(const Findings& findings, std::vector<std::string>& sentences) {
  if (findings.distance) {
    const algorithms::ShiftDistance& distance = *findings.distance;
    sentences.push_back(std::string("It is a ") +
                        (distance.reach == algorithms::ShiftReach::kFar ? "far" : "near") +
                        " shift: the mean of the dropped rows lies " +
                        Format("%.3g", distance.in_spreads) +
                        " times the trusted rows' spread from theirs (cosine distance " +
                        Format("%.3g", distance.cosine) + ", Euclidean " +
                        Format("%.3g", distance.euclidean) + ").");
  }
  if (findings.kinds.num_kinds() > 1) {
    sentences.push_back("The dropped rows are of " + std::to_string(findings.kinds.num_kinds()) +
                        " kinds.");
  }
}

// Why much is missing from a page of scoring alone.
constexpr const char* kScoredOnly =
    "These rows were scored with a model that was fitted earlier. What only a fit can tell is not "
    "on this page: kinds of shift, distance, the plane of rows and the trusted rows' scores.";

// What to know of the fit; of the model where the fit was not on this pool.
std::vector<FitWarning> ModelWarnings(const ReportContents& contents) {
  const Model& model = contents.known.model;
  if (contents.known.fit == nullptr) {
    return WarningsOfModel(model.summary, contents.decision, model.LacksDistance());
  }
  return WarningsOf(model.summary, model.options, model.dimension());
}

}  // namespace

std::vector<std::string> SummarySentences(const ReportContents& contents) {
  const RowCounts& counts = contents.pool_pass.counts;
  const double valid = static_cast<double>(std::max<std::int64_t>(counts.in - counts.invalid, 1));
  std::vector<std::string> sentences;
  sentences.push_back("Of " + Count(counts.in) + " rows " + Count(counts.kept) + " are kept and " +
                      Count(counts.dropped) + " (" +
                      Percent(static_cast<double>(counts.dropped) / valid) + ") are dropped.");
  if (contents.files_explained) {
    sentences.push_back("These are the rows of the " + FilesScored(*contents.files_explained) +
                        "; files that were scored earlier are not counted.");
  }
  if (counts.odd.all() > 0) {
    sentences.push_back("Odd rows, whatever they score: " + InWords(counts.odd) + ".");
  }
  if (contents.known.fit != nullptr) AddVerdict(contents.known.model.summary, sentences);
  sentences.push_back(DecisionSentence(contents.decision));
  AddLooks(contents, sentences);
  if (const Findings* const findings = contents.known.findings()) {
    AddDifference(*findings, sentences);
  } else {
    sentences.push_back(kScoredOnly);
  }
  return sentences;
}

std::vector<std::string> WarningSentences(const ReportContents& contents) {
  const FitSummary& summary = contents.known.model.summary;
  std::vector<std::string> sentences;
  for (const FitWarning& warning : ModelWarnings(contents)) {
    // The verdict is in the summary.
    if (warning.about != "verdict") sentences.push_back(warning.about + ": " + warning.text + ".");
  }
  if (const auto warning = WarningOfDropped(contents.pool_pass.counts, contents.decision)) {
    sentences.push_back(warning->about + ": " + warning->text + ".");
  }
  if (summary.sampled_from) {
    sentences.push_back("The fit saw a sample of " + Count(summary.rows_pool) + " of " +
                        Count(*summary.sampled_from) + " pool rows.");
  }
  if (!contents.skipped.empty()) {
    sentences.push_back(Count(static_cast<std::int64_t>(contents.skipped.size())) +
                        " files could not be read and were skipped.");
  }
  return sentences;
}

std::string AxisName(algorithms::PlaneAxis axis) {
  switch (axis) {
    case algorithms::PlaneAxis::kDiscriminant:
      return "from kept to dropped rows";
    case algorithms::PlaneAxis::kPrincipal:
      return "direction of widest spread";
    case algorithms::PlaneAxis::kNone:
      break;
  }
  return "";
}

}  // namespace spuna
