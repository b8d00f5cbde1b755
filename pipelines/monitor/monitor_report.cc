#include "pipelines/monitor/monitor_report.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pipelines/options/option_words.h"
#include "pipelines/run/fit_summary.h"
#include "pipelines/run/number_words.h"
#include "pipelines/run/runtime.h"

namespace spuna {
namespace {

using nlohmann::json;

// The shortest text that is read as the same number.
std::string Text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

std::string Rounded(double value) { return Format("%.3g", value); }

class MetricsText {
 public:
  void Add(const std::string& name, const std::string& help, const std::string& value) {
    Describe(name, help);
    text_ += "spuna_monitor_" + name + " " + value + "\n";
  }

  void Describe(const std::string& name, const std::string& help) {
    text_ +=
        "# TYPE spuna_monitor_" + name + " gauge\n# HELP spuna_monitor_" + name + " " + help + "\n";
  }

  void AddRows(const std::string& decision, std::int64_t rows) {
    text_ += "spuna_monitor_rows{decision=\"" + decision + "\"} " + std::to_string(rows) + "\n";
  }

  std::string End() && { return text_ + "# EOF\n"; }

 private:
  std::string text_;
};

}  // namespace

json ToJson(const MonitorReport& report) {
  const WatchedBatch& batch = report.batch();
  json warnings = json::array();
  for (const FitWarning& warning : report.model_warnings) warnings.push_back(ToJson(warning));
  return {{"batch", batch.batch},
          {"time", batch.time},
          {"rows_in", report.counts.in},
          {"rows_kept", report.counts.kept},
          {"rows_dropped", report.counts.dropped},
          {"rows_invalid", report.counts.invalid},
          {"rows_undecided", report.counts.undecided},
          {"rows_odd", ToJson(report.counts.odd)},
          {"rows_watched", report.rows_watched},
          {"files", report.num_files},
          {"decision", ToJson(report.decision)},
          {"share_shifted", ToJson(batch.share)},
          {"evidence", batch.evidence},
          {"evidence_needed", 1 / report.options.level},
          {"p_value", report.p_value},
          {"level", report.options.level},
          {"shift_found", report.found()},
          {"warnings", warnings},
          {"model_hash", report.model_hash},
          {"seconds", report.seconds},
          {"peak_memory_bytes", report.peak_memory_bytes}};
}

std::string ToOpenMetrics(const MonitorReport& report) {
  const WatchedBatch& batch = report.batch();
  MetricsText metrics;
  metrics.Describe("rows", "Rows of the last batch by the model's decision.");
  metrics.AddRows("kept", report.counts.kept);
  metrics.AddRows("dropped", report.counts.dropped);
  metrics.AddRows("invalid", report.counts.invalid);
  metrics.Add("rows_odd",
              "Rows of the last batch that are far from all trusted rows, or otherwise odd.",
              std::to_string(report.counts.odd.all()));
  metrics.Add("share_shifted", "Estimated share of shifted rows in the last batch.",
              Text(batch.share.estimate));
  metrics.Add("share_shifted_low", "Lower end of its interval at 95 percent.",
              Text(batch.share.low));
  metrics.Add("share_shifted_high", "Upper end of its interval at 95 percent.",
              Text(batch.share.high));
  metrics.Add("evidence", "Most evidence of shift up to now; 1 is none.", Text(batch.evidence));
  metrics.Add("evidence_needed", "Evidence at which a shift counts as found.",
              Text(1 / report.options.level));
  metrics.Add("p_value", "P-value of no shift in any batch up to now, valid at every look.",
              Text(report.p_value));
  metrics.Add("shift_found", "Whether a shift was found in any batch up to now.",
              report.found() ? "1" : "0");
  metrics.Add("batches", "Batches watched up to now.", std::to_string(batch.batch));
  return std::move(metrics).End();
}

json ToReportPage(const MonitorReport& report) {
  const WatchedBatch& batch = report.batch();
  const std::string level = Text(report.options.level);
  const std::string p_value = Rounded(report.p_value);
  std::vector<std::string> summary;
  if (report.found()) {
    std::uint64_t first = batch.batch;
    for (auto it = report.history.rbegin(); it != report.history.rend() && it->found; ++it) {
      first = it->batch;
    }
    summary.push_back("Shift found at level " + level + ", first in batch " +
                      std::to_string(first) + ": p = " + p_value + ".");
  } else {
    summary.push_back("No shift found at level " + level + " in " + std::to_string(batch.batch) +
                      (batch.batch == 1 ? " batch" : " batches") + ": p = " + p_value + ".");
  }
  summary.push_back("In the last batch an estimated " + Percent(batch.share.estimate) +
                    " of the rows are shifted (" + Percent(batch.share.low) + " to " +
                    Percent(batch.share.high) + " at 95 %).");
  json history = json::array();
  for (const WatchedBatch& watched : report.history) history.push_back(ToJson(watched));
  const std::vector<std::vector<std::string>> facts = {
      {"batch", std::to_string(batch.batch)},
      {"time", batch.time},
      {"rows in", std::to_string(report.counts.in)},
      {"rows to keep", std::to_string(report.counts.kept)},
      {"rows to drop", std::to_string(report.counts.dropped)},
      {"invalid rows", std::to_string(report.counts.invalid)},
      {"odd rows", report.counts.odd.all() == 0 ? "0" : InWords(report.counts.odd)},
      {"rows watched", std::to_string(report.rows_watched)},
      {"evidence", Rounded(batch.evidence) + " of " + Rounded(1 / report.options.level)},
      {"p-value", p_value},
  };
  return {{"title", "spuna monitor"},
          {"subtitle", "batch " + std::to_string(batch.batch) + ", " + batch.time},
          {"summary", summary},
          {"facts", facts},
          {"history", std::move(history)},
          {"evidence_needed", 1 / report.options.level},
          {"settings",
           {{"level", report.options.level},
            {"embedding", report.options.embedding},
            {"invalid", ToWord(report.options.invalid)},
            {"model_hash", report.model_hash}}},
          {"versions", Versions()}};
}

}  // namespace spuna
