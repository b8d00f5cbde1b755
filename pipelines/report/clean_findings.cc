#include "pipelines/report/clean_findings.h"

#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <utility>

#include "pipelines/report/pool_pass.h"
#include "pipelines/report/report.h"
#include "pipelines/report/report_page.h"
#include "pipelines/source/named_column.h"
#include "pipelines/source/row_ids.h"

namespace spuna {
namespace {

// The names under which files are our own from now on.
constexpr const char* kNaming = "naming-findings";

// A column of text would be found out only when all is done.
arrow::Status CheckTruth(const arrow_io::ParquetInput& file, const std::string& name) {
  const auto field = file.schema()->GetFieldByName(name);
  if (name.empty() || field == nullptr) return arrow::Status::OK();
  const arrow::Type::type type = field->type()->id();
  if (arrow::is_numeric(type) || type == arrow::Type::BOOL) return arrow::Status::OK();
  return arrow::Status::Invalid("column '", name, "' of ", file.name(),
                                ": expected a boolean or 0 or 1 but found ",
                                field->type()->ToString());
}

}  // namespace

arrow::Result<CleanFindings> CleanFindings::Stage(const CleanJob& job, const RunState& state) {
  CleanFindings findings(job);
  const bool is_own = state.Find(kNaming) != nullptr;
  auto reserve = [&](const std::optional<std::string>& path, const char* option,
                     std::optional<arrow_io::StagedOutput>& output) -> arrow::Status {
    if (!path) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(
        auto staged, arrow_io::StagedOutput::Create({*path, job.fit.overwrite || is_own, option}));
    output.emplace(std::move(staged));
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(reserve(job.reasons, "reasons", findings.reasons_));
  ARROW_RETURN_NOT_OK(reserve(job.report, "report", findings.page_));
  return findings;
}

arrow::Status CleanFindings::Check(const arrow_io::ParquetInput& file) const {
  auto find = [&](const std::string& name, const char* option) -> arrow::Status {
    if (name.empty()) return arrow::Status::OK();
    return NamedColumn::Find(*file.schema(), file.name(), file.partitions(), name, option).status();
  };
  if (!job_->Examines()) return arrow::Status::OK();
  for (const std::string& name : job_->group_by) ARROW_RETURN_NOT_OK(find(name, "group-by"));
  ARROW_RETURN_NOT_OK(find(job_->id, "id"));
  ARROW_RETURN_NOT_OK(find(job_->truth, "truth"));
  ARROW_RETURN_NOT_OK(CheckTruth(file, job_->truth));
  return find(job_->image, "report-image");
}

arrow::Status CleanFindings::Write(const Material& material, RunState& state, JobReport& report,
                                   StageClock& clock) {
  ExaminationOptions options;
  options.id = job_->id;
  options.group_by = job_->group_by;
  options.truth = job_->truth;
  if (reasons_) {
    options.reasons = reasons_->path().string();
    options.reasons_name = reasons_->target().string();
  }
  ARROW_ASSIGN_OR_RAISE(const Examination examination,
                        Examine(material.request, material.fit, material.scoring, options,
                                material.bad_files, clock));
  for (std::size_t i = 0; i < job_->group_by.size(); ++i) {
    report.groups.push_back({job_->group_by[i], examination.groups[i]});
  }
  report.reasons = job_->reasons;
  report.page = job_->report;
  const Findings& findings = *material.fit.findings;
  report.distance = findings.distance;
  report.kinds.assign(findings.kinds.sizes.begin(), findings.kinds.sizes.end());
  if (page_) {
    ARROW_ASSIGN_OR_RAISE(const std::string id,
                          ResolveIdColumn(material.request.pool, job_->id, material.bad_files));
    ARROW_ASSIGN_OR_RAISE(
        const nlohmann::json page,
        MakeReport({material.request, material.fit, examination, report.score->counts,
                    report.score->decision, job_->group_by, id, job_->image, material.bad_files},
                   clock));
    const arrow::Status written = arrow_io::WriteBytes(page_->path(), RenderReportPage(page));
    if (!written.ok()) {
      return written.WithMessage(page_->target().string(),
                                 " can't be written: ", written.message());
    }
  }
  for (auto* output : {&reasons_, &page_}) {
    if (*output) ARROW_RETURN_NOT_OK((*output)->Check());
  }
  ARROW_RETURN_NOT_OK(state.Record(kNaming, true));
  for (auto* output : {&reasons_, &page_}) {
    if (*output) ARROW_RETURN_NOT_OK((*output)->Commit());
  }
  return arrow::Status::OK();
}

}  // namespace spuna
