#include "pipelines/report/explanation.h"

#include <arrow/record_batch.h>

#include <memory>
#include <vector>

#include "arrow_io/table_output.h"
#include "pipelines/report/reasons.h"
#include "pipelines/report/report.h"
#include "pipelines/report/report_page.h"

namespace spuna {
namespace {

constexpr const char* kReasons = "reasons";
constexpr const char* kReport = "report";

// The journal's entry: what exists under the names of the outputs from now on is our own.
constexpr const char* kNaming = "naming-findings";

}  // namespace

PoolPassOptions PassOptionsOf(const CleanJob& job) {
  PoolPassOptions options;
  options.id = job.id;
  options.group_by = job.group_by;
  options.truth = job.truth;
  options.image = job.image;
  return options;
}

void AddFindings(const CleanJob& job, const Findings& findings, const PoolPassResult& pass,
                 JobReport& report) {
  for (std::size_t i = 0; i < job.group_by.size(); ++i) {
    report.groups.push_back({job.group_by[i], pass.groups[i]});
  }
  report.distance = findings.distance;
  report.kinds.assign(findings.kinds.sizes.begin(), findings.kinds.sizes.end());
}

Explanation::Explanation(const CleanJob& job) : job_(job) {}

arrow::Status Explanation::CheckColumns(const Source& pool, bool explains) const {
  PoolPassOptions options;
  if (explains) options = PassOptionsOf(job_);
  options.image = job_.image;
  std::vector<ColumnPlace> places;
  for (std::size_t file = 0; file < pool.files().size(); ++file) {
    const arrow_io::InputFile& input = pool.files()[file];
    if (!pool.IsBad(file)) places.push_back({pool.SchemaOf(file), input.name, input.partitions});
  }
  return CheckPoolPassColumns(places, options);
}

arrow::Status Explanation::Stage(const RunState& state) {
  const bool may_replace = job_.fit.overwrite || state.Find(kNaming) != nullptr;
  ARROW_RETURN_NOT_OK(outputs_.Add(kReasons, job_.reasons, may_replace));
  return outputs_.Add(kReport, job_.report, may_replace);
}

arrow::Status Explanation::Write(const Material& material, RunState& state, JobReport& report,
                                 StageClock& clock) {
  if (!material.fit.findings || !report.score) {
    return arrow::Status::Invalid("an explanation needs findings and scores");
  }
  const Findings& findings = *material.fit.findings;
  PoolPassOptions options = PassOptionsOf(job_);
  std::unique_ptr<arrow_io::TableOutput> reasons;
  if (const arrow_io::StagedOutput* const staged = outputs_.Find(kReasons)) {
    ARROW_ASSIGN_OR_RAISE(reasons,
                          arrow_io::TableOutput::Create(staged->path(), staged->target().string(),
                                                        Reasons::schema()));
    options.on_reasons = [&](const std::shared_ptr<arrow::RecordBatch>& batch) {
      return reasons->Write(*batch);
    };
  }
  if (!job_.report) options.image.clear();
  const FilePool pool(material.request.pool);
  ARROW_ASSIGN_OR_RAISE(const PoolPassResult pass,
                        RunPoolPass(pool, material.fit, material.scoring, options, clock));
  if (reasons) ARROW_RETURN_NOT_OK(reasons->Close());
  AddFindings(job_, findings, pass, report);
  report.reasons = job_.reasons;
  report.page = job_.report;
  if (job_.report) {
    clock.Report("report");
    const nlohmann::json page =
        MakeReport({pool.name(), pool.skipped(), material.fit, findings, pass, report.score->counts,
                    report.score->decision, job_.group_by, clock.Seconds()});
    ARROW_RETURN_NOT_OK(outputs_.Write(kReport, RenderReportPage(page)));
  }
  return outputs_.Commit(state, kNaming, true);
}

}  // namespace spuna
