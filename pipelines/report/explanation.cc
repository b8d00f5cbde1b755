#include "pipelines/report/explanation.h"

#include <arrow/record_batch.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "arrow_io/table_output.h"
#include "pipelines/report/reasons.h"
#include "pipelines/report/report.h"
#include "pipelines/report/report_page.h"
#include "pipelines/score/batch_scorer.h"

namespace spuna {
namespace {

constexpr const char* kReasons = "reasons";
constexpr const char* kReport = "report";

// The journal's entry: what exists under the names of the outputs from now on is our own.
constexpr const char* kNaming = "naming-findings";
// In a manifest.
constexpr const char* kFindings = "findings";

// As many as a page can show at a glance.
constexpr std::size_t kNumHighestRows = 12;

}  // namespace

PoolPassOptions PassOptionsOf(const FindingsOptions& options) {
  PoolPassOptions pass;
  pass.id = options.id;
  pass.group_by = options.group_by;
  pass.truth = options.truth;
  pass.image = options.image;
  return pass;
}

void AddFindings(const FindingsOptions& options, const Findings* findings,
                 const PoolPassResult& pass, JobReport& report) {
  for (std::size_t i = 0; i < options.group_by.size(); ++i) {
    report.groups.push_back({options.group_by[i], pass.groups[i]});
  }
  if (findings == nullptr) return;
  report.distance = findings->distance;
  report.kinds.assign(findings->kinds.sizes.begin(), findings->kinds.sizes.end());
}

arrow::Status Explanation::CheckColumns(const Source& pool, bool explains) const {
  PoolPassOptions options;
  if (explains) options = PassOptionsOf(options_);
  options.image = options_.image;
  std::vector<ColumnPlace> places;
  for (std::size_t file = 0; file < pool.files().size(); ++file) {
    const arrow_io::InputFile& input = pool.files()[file];
    if (pool.IsRead(file)) places.push_back({pool.SchemaOf(file), input.name, input.partitions});
  }
  return CheckPoolPassColumns(places, options);
}

nlohmann::json Explanation::Describe() const {
  return {{kReasons, options_.reasons.value_or("")},
          {kReport, options_.report.value_or("")},
          {"group-by", options_.group_by},
          {"id", options_.id},
          {"truth", options_.truth},
          {"report-image", options_.image}};
}

bool Explanation::WasWritten(const nlohmann::json* manifest) const {
  if (!options_.reasons && !options_.report && options_.group_by.empty()) return true;
  std::error_code error;
  for (const auto& path : {options_.reasons, options_.report}) {
    if (path && !std::filesystem::exists(*path, error)) return false;
  }
  return manifest != nullptr && manifest->value(kFindings, nlohmann::json()) == Describe();
}

arrow::Status Explanation::Stage(const RunState* state, bool may_replace,
                                 const nlohmann::json* manifest) {
  may_replace |= state != nullptr && state->Find(kNaming) != nullptr;
  const nlohmann::json before =
      manifest == nullptr ? nlohmann::json() : manifest->value(kFindings, nlohmann::json());
  auto add = [&](const char* option, const std::optional<std::string>& path) {
    const bool is_own = path && before.is_object() && before.value(option, "") == *path;
    return outputs_.Add(option, path, may_replace || is_own);
  };
  ARROW_RETURN_NOT_OK(add(kReasons, options_.reasons));
  return add(kReport, options_.report);
}

arrow::Status Explanation::Write(const Material& material, RunState* state, JobReport& report,
                                 StageClock& clock) {
  const PoolKnowledge known{material.model, material.fit, material.reviews};
  PoolPassOptions options = PassOptionsOf(options_);
  std::unique_ptr<arrow_io::TableOutput> reasons;
  if (const arrow_io::StagedOutput* const staged = outputs_.Find(kReasons)) {
    ARROW_ASSIGN_OR_RAISE(reasons,
                          arrow_io::TableOutput::Create(staged->path(), staged->target().string(),
                                                        Reasons::schema()));
    options.on_reasons = [&](const std::shared_ptr<arrow::RecordBatch>& batch) {
      return reasons->Write(*batch);
    };
  }
  if (!options_.report) options.image.clear();
  // Typical rows of each kind are known to a fit alone.
  if (options_.report && material.fit == nullptr) options.num_highest = kNumHighestRows;
  const FilePool pool(material.pool);
  ARROW_ASSIGN_OR_RAISE(const PoolPassResult pass,
                        RunPoolPass(pool, known, material.scoring, options, clock));
  if (reasons) ARROW_RETURN_NOT_OK(reasons->Close());
  AddFindings(options_, known.findings(), pass, report);
  if (material.is_part) report.files_explained = pass.num_parts;
  report.reasons = options_.reasons;
  report.page = options_.report;
  if (options_.report) {
    clock.Report("report");
    ARROW_ASSIGN_OR_RAISE(const Decision decision, DecideFor(material.model, material.scoring));
    const nlohmann::json page =
        MakeReport({pool.name(), pool.skipped(), known, pass, decision, options_.group_by,
                    clock.Seconds(), report.files_explained});
    ARROW_RETURN_NOT_OK(outputs_.Write(kReport, RenderReportPage(page)));
  }
  return state == nullptr ? outputs_.Commit() : outputs_.Commit(*state, kNaming, true);
}

}  // namespace spuna
