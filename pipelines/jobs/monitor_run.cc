#include "pipelines/jobs/monitor_run.h"

#include <chrono>
#include <optional>
#include <utility>

#include "arrow_io/hash.h"
#include "pipelines/model/model.h"
#include "pipelines/monitor/batch_watcher.h"
#include "pipelines/report/report_page.h"
#include "pipelines/run/job_paths.h"
#include "pipelines/run/output_set.h"
#include "pipelines/run/run_state.h"
#include "pipelines/run/system_memory.h"
#include "pipelines/run/utc_time.h"

namespace spuna {
namespace {

arrow::Status CheckPaths(const MonitorJob& job) {
  JobPaths paths;
  ARROW_RETURN_NOT_OK(paths.AddInputs(job.input, "input"));
  ARROW_RETURN_NOT_OK(paths.AddInputs({job.model}, "model"));
  if (job.metrics) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.metrics, "metrics"));
  if (job.report) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.report, "report"));
  if (job.state) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.state, "state"));
  return arrow::Status::OK();
}

// Adds the batch that was watched to the history.
void Remember(const algorithms::DriftWatch& watch, const BatchWatcher& watcher, double level,
              MonitorState& state) {
  state.memory = watch.memory();
  const RowCounts& counts = watcher.counts();
  auto count = [](std::int64_t rows) { return static_cast<std::uint64_t>(rows); };
  state.history.push_back({state.memory.num_batches, UtcTime(std::chrono::system_clock::now()),
                           count(counts.in), count(counts.kept), count(counts.dropped),
                           count(counts.invalid), watcher.EstimateShare(), watch.Evidence(),
                           watch.Finds(level)});
  if (state.history.size() > MonitorState::kMaxHistory) {
    state.history.erase(state.history.begin());
  }
}

arrow::Result<Model> LoadWatchableModel(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(Model model, LoadModel(path));
  if (!model.watch.empty()) return model;
  return arrow::Status::Invalid("`model`: ", path,
                                ": holds nothing to watch with, since it was fitted without ",
                                "cross-fitting; fit with `recipe` robust or fast");
}

}  // namespace

arrow::Result<MonitorReport> WatchBatch(const MonitorJob& job, StageClock& clock) {
  ARROW_RETURN_NOT_OK(job.Validate());
  ARROW_ASSIGN_OR_RAISE(Source input, Source::List(job.input, "input", OnBadFile::kError));
  ARROW_ASSIGN_OR_RAISE(const Model model, LoadWatchableModel(job.model));
  ARROW_RETURN_NOT_OK(CheckPaths(job));
  const std::string bytes = SerializeModel(model);

  // Held until the new state has its name.
  std::optional<RunState> lock;
  MonitorState state;
  state.model_hash = arrow_io::HashDigits(bytes);
  if (job.state) {
    ARROW_ASSIGN_OR_RAISE(auto opened,
                          RunState::Open({StateBeside(*job.state), *job.state, "state"},
                                         {{"command", "monitor"}}, true));
    lock.emplace(std::move(opened));
    ARROW_ASSIGN_OR_RAISE(state, LoadState(*job.state, state.model_hash, model.watch.size()));
  }
  OutputSet outputs;
  ARROW_RETURN_NOT_OK(outputs.Add("metrics", job.metrics, /*may_replace=*/true));
  ARROW_RETURN_NOT_OK(outputs.Add("report", job.report, /*may_replace=*/true));
  ARROW_RETURN_NOT_OK(outputs.Add("state", job.state, /*may_replace=*/true));

  ARROW_RETURN_NOT_OK(
      input.Survey({job.options.embedding, model.options.embedding}, {}, clock.runtime()));
  ScoreOptions score_options;
  score_options.invalid = job.options.invalid;
  ARROW_ASSIGN_OR_RAISE(const auto prepared, PreparedModel::Make(model, score_options));
  const std::uint64_t seed = arrow_io::Hash(bytes.data(), bytes.size());
  algorithms::DriftWatch watch(model.watch, seed, state.memory);
  BatchWatcher watcher(model, watch, seed);
  ARROW_RETURN_NOT_OK(watcher.Watch(input, prepared, clock));
  const RowCounts& counts = watcher.counts();
  if (counts.in == counts.invalid) {
    return arrow::Status::Invalid("`input`: ", input.name(), ": none of ", counts.in,
                                  " rows has a valid embedding; there is nothing to watch, and ",
                                  "the state stays as it was");
  }
  Remember(watch, watcher, job.options.level, state);
  MonitorReport report{.options = job.options,
                       .counts = counts,
                       .decision = prepared->decision(),
                       .num_files = input.files().size(),
                       .history = state.history,
                       .rows_watched = state.memory.num_rows,
                       .p_value = watch.PValue(),
                       .model_hash = state.model_hash};
  report.options.embedding = input.embedding();
  clock.Pause();
  ARROW_RETURN_NOT_OK(outputs.Write("metrics", ToOpenMetrics(report)));
  if (job.report) {
    ARROW_RETURN_NOT_OK(outputs.Write("report", RenderReportPage(ToReportPage(report))));
  }
  ARROW_RETURN_NOT_OK(outputs.Write("state", SerializeState(state)));
  ARROW_RETURN_NOT_OK(clock.runtime().CheckStop());
  ARROW_RETURN_NOT_OK(outputs.Commit());
  report.seconds = clock.Seconds();
  report.peak_memory_bytes = PeakMemoryBytes();
  return report;
}

}  // namespace spuna
