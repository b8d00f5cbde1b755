#include "pipelines/report/report.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "algorithms/compute/format_number.h"
#include "pipelines/options/option_list.h"
#include "pipelines/report/report_words.h"
#include "pipelines/run/number_words.h"
#include "pipelines/run/system_memory.h"

namespace spuna {
namespace {

using algorithms::PseudoLabel;
using nlohmann::json;

json ScoresOf(const ReportContents& contents) {
  const PoolPassResult& pass = contents.pool_pass;
  const std::size_t num_bins = PoolPassResult::kNumBins;
  json edges = json::array();
  for (std::size_t i = 0; i <= num_bins; ++i) {
    edges.push_back(static_cast<double>(i) / static_cast<double>(num_bins));
  }
  json scores = {{"edges", edges},
                 {"pool", pass.scores},
                 {"threshold", contents.decision.NeedsPValues() || contents.decision.DropsNone()
                                   ? json()
                                   : json(contents.decision.threshold)}};
  const Findings* const findings = contents.known.findings();
  if (findings == nullptr) return scores;
  std::vector<std::int64_t> trusted(num_bins);
  for (const float score : findings->trusted_scores) {
    ++trusted[std::min(static_cast<std::size_t>(score * static_cast<float>(num_bins)),
                       num_bins - 1)];
  }
  scores["trusted"] = trusted;
  return scores;
}

json ReliabilityOf(const PoolPassResult& pass) {
  json bins = json::array();
  for (const PoolPassResult::Bin& bin : pass.reliability) {
    if (bin.rows == 0) continue;
    const double rows = static_cast<double>(bin.rows);
    bins.push_back({{"score", bin.score_sum / rows},
                    {"shifted", static_cast<double>(bin.shifted) / rows},
                    {"rows", bin.rows}});
  }
  return bins.empty() ? json() : json{{"bins", bins}};
}

// The rows that got a label in each round, and how many of them the scores say are right.
json RoundsOf(const FitResult& fit) {
  struct Side {
    std::int64_t rows = 0;
    double right = 0;
  };
  std::vector<std::array<Side, 2>> rounds(fit.expansion.num_rounds + 1);
  for (std::size_t i = 0; i < fit.expansion.labels.size(); ++i) {
    const PseudoLabel label = fit.expansion.labels[i];
    const auto round = static_cast<std::size_t>(std::max(fit.expansion.rounds[i], 0));
    if (label == PseudoLabel::kNone || round >= rounds.size()) continue;
    const bool is_shifted = label == PseudoLabel::kShifted;
    Side& side = rounds[round][is_shifted ? 1 : 0];
    ++side.rows;
    side.right += is_shifted ? fit.pool.scores[i] : 1 - fit.pool.scores[i];
  }
  json told = json::array();
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    auto purity = [&](const Side& side) {
      return side.rows == 0 ? json() : json(side.right / static_cast<double>(side.rows));
    };
    const auto& [clean, shifted] = rounds[round];
    if (clean.rows + shifted.rows == 0) continue;
    told.push_back({{"round", round},
                    {"clean", clean.rows},
                    {"shifted", shifted.rows},
                    {"purity_clean", purity(clean)},
                    {"purity_shifted", purity(shifted)}});
  }
  return told.empty() ? json() : told;
}

json EntropyOf(const FitSummary& summary) {
  if (summary.entropy.size() < 2) return {};
  return {{"values", summary.entropy},
          {"stopped_by", summary.stopped_by},
          {"stop_round", summary.rounds}};
}

void AddPoint(const Findings::Point& point, const char* kind, const json& score, json& points) {
  points.push_back(
      {{"x", point.x}, {"y", point.y}, {"kind", kind}, {"id", point.id}, {"score", score}});
}

json PlaneOf(const Findings& findings) {
  json points = json::array();
  for (const Findings::Point& point : findings.trusted_points) {
    AddPoint(point, "trusted", nullptr, points);
  }
  for (const Findings::Point& point : findings.pool_points) {
    AddPoint(point, point.dropped ? "dropped" : "kept", point.score, points);
  }
  return {
      {"x", AxisName(findings.plane.axes[0])},
      {"y", AxisName(findings.plane.axes[1])},
      {"note",
       "Whitened coordinates; " + Count(static_cast<std::int64_t>(findings.trusted_points.size())) +
           " trusted rows and " + Count(static_cast<std::int64_t>(findings.pool_points.size())) +
           " pool rows, evenly taken."},
      {"points", points}};
}

json KindsOf(const Findings& findings, const std::map<std::uint32_t, std::string>& pictures) {
  json told = json::array();
  for (std::size_t kind = 0; kind < findings.typical_rows.size(); ++kind) {
    json typical = json::array();
    for (const Findings::TypicalRow& row : findings.typical_rows[kind]) {
      const auto picture = pictures.find(row.row);
      typical.push_back({{"id", row.id},
                         {"score", row.score},
                         {"image", picture == pictures.end() ? json() : json(picture->second)}});
    }
    told.push_back({{"name", std::to_string(kind + 1)},
                    {"rows", findings.kinds.sizes[kind]},
                    {"typical", typical}});
  }
  return told.empty() ? json() : told;
}

json HighestOf(const PoolPassResult& pass) {
  json told = json::array();
  for (const ExampleRow& row : pass.highest) {
    told.push_back({{"id", row.id},
                    {"score", row.score},
                    {"image", row.picture.empty() ? json() : json(row.picture)}});
  }
  return told.empty() ? json() : told;
}

json GroupsOf(const std::vector<std::string>& columns, const PoolPassResult& pass) {
  json told = json::array();
  for (std::size_t i = 0; i < pass.groups.size(); ++i) {
    json rows = json::array();
    for (const GroupCount& group : pass.groups[i]) rows.push_back(ToJson(group));
    told.push_back({{"columns", columns[i]}, {"rows", rows}});
  }
  return told.empty() ? json() : told;
}

json FactsOf(const ReportContents& contents) {
  const FitSummary& summary = contents.known.model.summary;
  const RowCounts& counts = contents.pool_pass.counts;
  json facts = json::array();
  auto add = [&](const std::string& name, const std::string& value) {
    facts.push_back({name, value});
  };
  if (contents.files_explained) {
    add("files scored by this run", Count(static_cast<std::int64_t>(*contents.files_explained)));
  }
  add("rows in", Count(counts.in));
  add("rows kept", Count(counts.kept));
  add("rows dropped", Count(counts.dropped));
  if (counts.invalid > 0) add("rows without a usable embedding", Count(counts.invalid));
  add("trusted rows", Count(summary.rows_trusted));
  if (summary.rows_calibration > 0) add("of them held out", Count(summary.rows_calibration));
  add("pool rows fitted", Count(summary.rows_pool));
  add("dimension", Count(contents.known.model.dimension()));
  // It is about the pool of the fit.
  if (summary.separation && contents.known.fit != nullptr) {
    add("AUROC of pool against trusted rows", algorithms::FormatNumber(summary.separation->auroc));
    add("p-value of no shift", algorithms::FormatNumber(summary.separation->p_value));
  }
  return facts;
}

}  // namespace

json MakeReport(const ReportContents& contents) {
  const Model& model = contents.known.model;
  json report = {
      {"title", "spuna report"},
      {"subtitle", contents.pool_name + ", " + Count(contents.pool_pass.counts.in) + " rows"},
      {"summary", SummarySentences(contents)},
      {"warnings", WarningSentences(contents)},
      {"facts", FactsOf(contents)},
      {"scores", ScoresOf(contents)},
      {"reliability", ReliabilityOf(contents.pool_pass)},
      {"highest", HighestOf(contents.pool_pass)},
      {"groups", GroupsOf(contents.group_by, contents.pool_pass)},
      {"settings", ToJson(model.options)},
      {"versions", model.versions},
      {"seconds", contents.seconds},
      {"peak_memory_bytes", PeakMemoryBytes()}};
  if (const FitResult* const fit = contents.known.fit) {
    report["entropy"] = EntropyOf(model.summary);
    report["rounds"] = RoundsOf(*fit);
  }
  if (const Findings* const findings = contents.known.findings()) {
    report["plane"] = PlaneOf(*findings);
    report["kinds"] = KindsOf(*findings, contents.pool_pass.pictures);
  }
  report["settings"]["decision"] = ToJson(contents.decision);
  return report;
}

}  // namespace spuna
