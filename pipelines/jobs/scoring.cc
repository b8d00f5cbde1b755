#include "pipelines/jobs/scoring.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "arrow_io/hash.h"
#include "pipelines/monitor/model_age.h"
#include "pipelines/options/json_text.h"
#include "pipelines/run/system_memory.h"
#include "pipelines/run/utc_time.h"
#include "pipelines/score/batch_scorer.h"

namespace spuna {

using nlohmann::json;

arrow::Result<Scoring> Scoring::Open(const Source& source, const ScoreOutputs::Targets& targets,
                                     ScoreOptions options, json configuration) {
  ARROW_ASSIGN_OR_RAISE(ScoreOutputs outputs, ScoreOutputs::Open(source, targets, configuration));
  return Scoring(std::move(outputs), std::move(options), std::move(configuration));
}

arrow::Status Scoring::Compare(const Source& source, StageClock& clock) {
  if (outputs_.directory() == nullptr) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(outputs_.Compare(source, clock.runtime()));
  return CheckRoot(source);
}

arrow::Status Scoring::CheckRoot(const Source& source) const {
  if (!IsUpdate() || outputs_.changes().vanished.empty()) return arrow::Status::OK();
  const json inputs = manifest()->value("inputs", json::object());
  const std::string before = inputs.value(source.option(), source.Root());
  if (before != source.Root()) {
    return arrow::Status::Invalid(
        "`", source.option(), "`: its files lie below ", source.Root(), " now, and lay below ",
        before, " when the output was written: rows would be there twice; add `--base ", before,
        "`, or replace the output");
  }
  const std::size_t num_new = outputs_.changes().FilesThatAre(FileChange::kNew).size();
  // A few files may all be replaced by others; a lake hardly is.
  constexpr std::size_t kManyFiles = 5;
  if (outputs_.prunes() && num_new == source.files().size() &&
      outputs_.changes().vanished.size() >= kManyFiles) {
    return arrow::Status::Invalid(
        "`prune` would remove the outputs of all files that were scored before; is `",
        source.option(), "` the right one? Leave `--prune` out, or replace the output");
  }
  return arrow::Status::OK();
}

arrow::Result<JobReport> Scoring::ReportUpToDate(const Source& source, StageClock& clock) const {
  const json& manifest = *outputs_.directory()->manifest();
  JobReport report;
  report.was_done = true;
  report.score =
      JobReport::Score{FileRecordFrom(manifest.value("total", json::object())).counts,
                       DecisionFromJson(manifest.at("decision")),
                       manifest.value("files", json::object()).size(), options_.by, options_.drop};
  report.update = DescribeUpdate();
  report.update->counts.listed = report.update->counts.unchanged = source.files().size();
  report.update->counts.rows_unchanged = report.score->counts.in;
  report.update->counts.vanished = report.update->vanished.size();
  report.seconds = clock.Seconds();
  report.peak_memory_bytes = PeakMemoryBytes();
  return report;
}

std::vector<bool> Scoring::UnchangedFiles(const Source& source) const {
  std::vector<bool> unchanged;
  if (outputs_.directory() == nullptr) return unchanged;
  for (const arrow_io::InputFile& file : source.files()) {
    // What a stopped run has scored is still to be explained and held against the model.
    unchanged.push_back(outputs_.changes().Of(file) == FileChange::kUnchanged &&
                        !outputs_.changes().HasNewRows(file));
  }
  return unchanged;
}

arrow::Result<JobReport::Score> Scoring::Score(const Source& source, const Model& model,
                                               bool after_fit, StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(decision_, DecideFor(model, options_));
  ARROW_ASSIGN_OR_RAISE(outcome_, outputs_.Score({source, model, options_}, after_fit, clock));
  return JobReport::Score{outcome_.lake.total.counts, decision_, outcome_.lake.files.size(),
                          options_.by, options_.drop};
}

std::optional<JobReport::Update> Scoring::DescribeUpdate() const {
  if (outputs_.directory() == nullptr) return std::nullopt;
  const LakeChanges& changes = outputs_.changes();
  JobReport::Update update;
  update.counts = outcome_.counts;
  update.was_there = IsUpdate();
  update.added = changes.FilesThatAre(FileChange::kNew);
  update.changed = changes.FilesThatAre(FileChange::kChanged);
  update.made_again = changes.FilesThatAre(FileChange::kLost);
  update.reviewed = changes.FilesThatAre(FileChange::kReviewed);
  for (const auto* const files : {&changes.vanished, &changes.altered}) {
    for (const auto& [path, unused] : *files) update.vanished.push_back(path);
  }
  for (const auto& [path, unused] : changes.altered) update.altered.push_back(path);
  for (const auto& [path, record] : outcome_.lake.files) {
    update.files_after_fit += record.after_fit ? 1 : 0;
  }
  return update;
}

const json* Scoring::manifest() const {
  const OutputDirectory* const directory = outputs_.directory();
  return directory != nullptr && directory->manifest() ? &*directory->manifest() : nullptr;
}

arrow::Result<json> Scoring::Watch(Source& source, const Model& model, JobReport& report,
                                   StageClock& clock) const {
  if (!IsUpdate()) return json();
  const EarlierRows before{manifest()->value("watch", json()),
                           FileRecordFrom(manifest()->value("total", json::object())).counts};
  std::vector<bool> others;
  bool has_new = false;
  for (std::size_t i = 0; i < source.files().size(); ++i) {
    const bool is_new = outputs_.changes().HasNewRows(source.files()[i]);
    others.push_back(!is_new);
    has_new |= is_new && source.IsRead(i);
  }
  if (!has_new || options_.by == ScoreBy::kNeighbors) return before.watch;
  source.LeaveAlone(std::move(others));
  ARROW_ASSIGN_OR_RAISE(ModelAge age, WatchNewRows(source, model, options_, before, clock));
  report.update->refit_reason = std::move(age.refit_reason);
  return std::move(age.watch);
}

arrow::Status Scoring::Finish(const Source& source, const Model& model, const json& lineage,
                              RunState* state, StageClock& clock) {
  ARROW_RETURN_NOT_OK(clock.runtime().CheckStop());
  if (outputs_.directory() != nullptr) ARROW_RETURN_NOT_OK(CheckComplete());
  return outputs_.Finish(MakeManifest(source, model, lineage, clock), state);
}

arrow::Status Scoring::CheckComplete() const {
  const FileCounts& counts = outcome_.counts;
  const std::size_t accounted = counts.scored + counts.unchanged + counts.skipped + counts.failed;
  if (accounted != counts.listed) {
    return arrow::Status::Invalid("of ", counts.listed, " files ", accounted,
                                  " are accounted for; this is a fault of spuna's");
  }
  const std::filesystem::path& directory = outputs_.directory()->path();
  for (const auto& [path, record] : outcome_.lake.files) {
    std::error_code error;
    const auto size = std::filesystem::file_size(directory / path, error);
    if (error || size != static_cast<std::uintmax_t>(record.bytes_out)) {
      return arrow::Status::IOError((directory / path).string(),
                                    ": was written by this run and is gone or has changed; run ",
                                    "again when nobody else writes here");
    }
  }
  return arrow::Status::OK();
}

json Scoring::MakeManifest(const Source& source, const Model& model, const json& lineage,
                           StageClock& clock) const {
  json manifest = {{"command", configuration_.at("command")},
                   {"configuration", configuration_},
                   {"configuration_hash", arrow_io::HashDigits(DumpJson(configuration_))},
                   {"model", model.Describe()},
                   {"model_hash", ModelHash(model)},
                   {"decision", ToJson(decision_)},
                   {"versions", Versions()},
                   {"skipped", SkippedToJson(source.bad_files().skipped())},
                   {"seconds", clock.Seconds()},
                   {"finished_at", UtcTime(std::chrono::system_clock::now())},
                   {"total", ToJson(outcome_.lake.total, options_.by)},
                   {"file_counts", ToJson(outcome_.counts)},
                   {"files", json::object()},
                   {LakeChanges::kVanished, json::object()},
                   {LakeChanges::kAltered, json::object()}};
  manifest.update(lineage);
  manifest["total"]["files"] = outcome_.lake.files.size();
  for (const auto& [path, file] : outcome_.lake.files) {
    manifest["files"][path] = ToJson(file, options_.by);
  }
  for (const auto& [path, file] : outcome_.vanished) {
    manifest[LakeChanges::kVanished][path] = ToJson(file, options_.by);
  }
  for (const auto& [path, file] : outcome_.altered) {
    manifest[LakeChanges::kAltered][path] = ToJson(file, options_.by);
  }
  return manifest;
}

void Complete(const Source& source, StageClock& clock, JobReport& report) {
  report.skipped = source.bad_files().skipped();
  report.seconds = clock.Seconds();
  report.peak_memory_bytes = PeakMemoryBytes();
}

}  // namespace spuna
