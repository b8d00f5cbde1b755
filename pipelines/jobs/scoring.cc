#include "pipelines/jobs/scoring.h"

#include <chrono>
#include <utility>

#include "arrow_io/hash.h"
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

std::optional<JobReport> Scoring::Finished(StageClock& clock) const {
  const std::optional<json> manifest = outputs_.finished();
  if (!manifest) return std::nullopt;
  JobReport report;
  report.was_done = true;
  report.score =
      JobReport::Score{FileRecordFrom(manifest->value("total", json::object())).counts,
                       DecisionFromJson(manifest->at("decision")),
                       manifest->value("files", json::object()).size(), options_.by, options_.drop};
  report.skipped = SkippedFrom(manifest->value("skipped", json::array()));
  report.seconds = clock.Seconds();
  report.peak_memory_bytes = PeakMemoryBytes();
  return report;
}

arrow::Result<JobReport::Score> Scoring::Score(const Source& source, const Model& model,
                                               StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(decision_, DecideFor(model, options_));
  ARROW_ASSIGN_OR_RAISE(lake_, outputs_.Score({source, model, options_}, clock));
  return JobReport::Score{lake_.total.counts, decision_, lake_.files.size(), options_.by,
                          options_.drop};
}

arrow::Status Scoring::Finish(const Source& source, const Model& model, RunState* state,
                              StageClock& clock) {
  ARROW_RETURN_NOT_OK(clock.runtime().CheckStop());
  return outputs_.Finish(MakeManifest(source, model, clock), state);
}

json Scoring::MakeManifest(const Source& source, const Model& model, StageClock& clock) const {
  json manifest = {{"command", configuration_.at("command")},
                   {"configuration", configuration_},
                   {"configuration_hash", arrow_io::HashDigits(DumpJson(configuration_))},
                   {"model", model.Describe()},
                   {"model_hash", arrow_io::HashDigits(SerializeModel(model))},
                   {"decision", ToJson(decision_)},
                   {"versions", Versions()},
                   {"skipped", SkippedToJson(source.bad_files().skipped())},
                   {"seconds", clock.Seconds()},
                   {"finished_at", UtcTime(std::chrono::system_clock::now())},
                   {"total", ToJson(lake_.total, options_.by)},
                   {"files", json::object()}};
  manifest["total"]["files"] = lake_.files.size();
  for (const auto& [path, file] : lake_.files) manifest["files"][path] = ToJson(file, options_.by);
  return manifest;
}

void Complete(const Source& source, StageClock& clock, JobReport& report) {
  report.skipped = source.bad_files().skipped();
  report.seconds = clock.Seconds();
  report.peak_memory_bytes = PeakMemoryBytes();
}

}  // namespace spuna
