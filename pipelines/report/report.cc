#include "pipelines/report/report.h"

#include <algorithm>
#include <utility>

#include "algorithms/compute/format_number.h"
#include "pipelines/fit/memory.h"
#include "pipelines/report/pictures.h"
#include "pipelines/report/report_words.h"
#include "pipelines/run/number_words.h"
#include "pipelines/source/row_ids.h"

namespace spuna {
namespace {

using algorithms::PseudoLabel;
using nlohmann::json;

json ScoresOf(const ReportContents& contents) {
  const Examination& examination = contents.examination;
  const std::size_t num_bins = Examination::kNumBins;
  json edges = json::array();
  for (std::size_t i = 0; i <= num_bins; ++i) {
    edges.push_back(static_cast<double>(i) / static_cast<double>(num_bins));
  }
  std::vector<std::int64_t> trusted(num_bins);
  for (const float score : contents.fit.findings->trusted_scores) {
    ++trusted[std::min(static_cast<std::size_t>(score * static_cast<float>(num_bins)),
                       num_bins - 1)];
  }
  return {{"edges", edges},
          {"pool", examination.scores},
          {"trusted", trusted},
          {"threshold", contents.decision.p_value_cutoff || contents.decision.threshold > 1
                            ? json()
                            : json(contents.decision.threshold)}};
}

json ReliabilityOf(const Examination& examination) {
  json bins = json::array();
  for (const Examination::Bin& bin : examination.reliability) {
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
    side.right += is_shifted ? fit.pool_scores[i] : 1 - fit.pool_scores[i];
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

std::vector<std::uint32_t> RowsOf(const std::vector<Findings::Point>& points) {
  std::vector<std::uint32_t> rows;
  for (const Findings::Point& point : points) rows.push_back(point.row);
  return rows;
}

arrow::Result<json> PlaneOf(const ReportContents& contents, const Runtime& runtime) {
  const Findings& findings = *contents.fit.findings;
  const BadFiles none(OnBadFile::kError);
  ARROW_ASSIGN_OR_RAISE(const std::string trusted_id,
                        ResolveIdColumn(contents.request.trusted, "", none));
  ARROW_ASSIGN_OR_RAISE(const auto trusted_ids,
                        ReadIds(contents.request.trusted,
                                PickRows(findings.trusted_rows, RowsOf(findings.trusted_points)),
                                trusted_id, none, runtime));
  ARROW_ASSIGN_OR_RAISE(
      const auto pool_ids,
      ReadIds(contents.request.pool, PickRows(findings.pool_rows, RowsOf(findings.pool_points)),
              contents.id, contents.bad_files, runtime));
  json points = json::array();
  for (std::size_t i = 0; i < findings.trusted_points.size(); ++i) {
    const Findings::Point& point = findings.trusted_points[i];
    points.push_back({{"x", point.x},
                      {"y", point.y},
                      {"kind", "trusted"},
                      {"id", trusted_ids[i]},
                      {"score", nullptr}});
  }
  for (std::size_t i = 0; i < findings.pool_points.size(); ++i) {
    const Findings::Point& point = findings.pool_points[i];
    points.push_back({{"x", point.x},
                      {"y", point.y},
                      {"kind", point.dropped ? "dropped" : "kept"},
                      {"id", pool_ids[i]},
                      {"score", point.score}});
  }
  return json{
      {"x", AxisName(findings.plane.axes[0])},
      {"y", AxisName(findings.plane.axes[1])},
      {"note",
       "Whitened coordinates; " + Count(static_cast<std::int64_t>(findings.trusted_points.size())) +
           " trusted rows and " + Count(static_cast<std::int64_t>(findings.pool_points.size())) +
           " pool rows, evenly taken."},
      {"points", points}};
}

arrow::Result<json> KindsOf(const ReportContents& contents, const Runtime& runtime) {
  const Findings& findings = *contents.fit.findings;
  json told = json::array();
  for (std::size_t kind = 0; kind < findings.kinds.num_kinds(); ++kind) {
    json typical = json::array();
    for (const std::uint32_t index : findings.kinds.typical_rows[kind]) {
      const std::uint32_t row = findings.dropped_rows[index];
      const RowSample place = PickRows(findings.pool_rows, {row});
      ARROW_ASSIGN_OR_RAISE(const auto ids, ReadIds(contents.request.pool, place, contents.id,
                                                    contents.bad_files, runtime));
      json picture;
      if (!contents.image.empty()) {
        ARROW_ASSIGN_OR_RAISE(
            const std::string uri,
            ReadPicture(contents.request.pool, place, contents.image, contents.bad_files));
        if (!uri.empty()) picture = uri;
      }
      typical.push_back(
          {{"id", ids.front()}, {"score", contents.fit.pool_scores[row]}, {"image", picture}});
    }
    told.push_back({{"name", std::to_string(kind + 1)},
                    {"rows", findings.kinds.sizes[kind]},
                    {"typical", typical}});
  }
  return told.empty() ? json() : told;
}

json GroupsOf(const std::vector<std::string>& columns, const Examination& examination) {
  json told = json::array();
  for (std::size_t i = 0; i < examination.groups.size(); ++i) {
    json rows = json::array();
    for (const GroupCount& group : examination.groups[i]) rows.push_back(ToJson(group));
    told.push_back({{"columns", columns[i]}, {"rows", rows}});
  }
  return told.empty() ? json() : told;
}

json FactsOf(const ReportContents& contents) {
  const FitSummary& summary = contents.fit.model.summary;
  json facts = json::array();
  auto add = [&](const std::string& name, const std::string& value) {
    facts.push_back({name, value});
  };
  add("rows in", Count(contents.counts.in));
  add("rows kept", Count(contents.counts.kept));
  add("rows dropped", Count(contents.counts.dropped));
  if (contents.counts.invalid > 0)
    add("rows without a usable embedding", Count(contents.counts.invalid));
  add("trusted rows", Count(summary.rows_trusted));
  if (summary.rows_calibration > 0) add("of them kept back", Count(summary.rows_calibration));
  add("pool rows fitted", Count(summary.rows_pool));
  add("dimension", Count(contents.fit.model.dimension()));
  if (summary.separation) {
    add("AUROC of pool against trusted rows", algorithms::FormatNumber(summary.separation->auroc));
    add("p-value of no shift", algorithms::FormatNumber(summary.separation->p_value));
  }
  return facts;
}

}  // namespace

arrow::Result<json> MakeReport(const ReportContents& contents, StageClock& clock) {
  clock.Report("report");
  const Runtime& runtime = clock.runtime();
  const FitResult& fit = contents.fit;
  json report = {{"title", "spuna report"},
                 {"subtitle", contents.request.pool.files.front().name + ", " +
                                  Count(contents.counts.in) + " rows"},
                 {"summary", SummarySentences(contents)},
                 {"warnings", WarningSentences(contents)},
                 {"facts", FactsOf(contents)},
                 {"scores", ScoresOf(contents)},
                 {"reliability", ReliabilityOf(contents.examination)},
                 {"entropy", EntropyOf(fit.model.summary)},
                 {"rounds", RoundsOf(fit)},
                 {"groups", GroupsOf(contents.group_by, contents.examination)},
                 {"settings", ToJson(fit.model.options)},
                 {"versions", fit.model.versions},
                 {"seconds", clock.Seconds()},
                 {"peak_memory_bytes", PeakMemoryBytes()}};
  ARROW_ASSIGN_OR_RAISE(report["plane"], PlaneOf(contents, runtime));
  ARROW_ASSIGN_OR_RAISE(report["kinds"], KindsOf(contents, runtime));
  report["settings"]["decision"] = ToJson(contents.decision);
  clock.Pause();
  return report;
}

}  // namespace spuna
