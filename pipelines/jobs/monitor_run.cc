#include "pipelines/jobs/monitor_run.h"

#include <arrow/record_batch.h>

#include <memory>
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

namespace spuna {
namespace {

arrow::Status CheckPaths(const MonitorJob& job) {
  JobPaths paths;
  ARROW_RETURN_NOT_OK(paths.AddInputs(job.input, "input"));
  if (!job.model.empty()) ARROW_RETURN_NOT_OK(paths.AddInputs({job.model}, "model"));
  if (job.metrics) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.metrics, "metrics"));
  if (job.report) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.report, "report"));
  if (job.state) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.state, "state"));
  return arrow::Status::OK();
}

arrow::Status CheckWatchable(const Model& model, const std::string& name) {
  if (!model.watch.empty()) return arrow::Status::OK();
  return arrow::Status::Invalid("`model`: ", name.empty() ? "" : name + ": ",
                                "holds nothing to watch with, since it was fitted without ",
                                "cross-fitting; fit with `recipe` robust or fast");
}

arrow_io::InputListing ListingOf(const MonitorJob& job) {
  return {job.input, "input", job.all_files};
}

// The batch: files, or a stream.
class Batch {
 public:
  static arrow::Result<Batch> List(const MonitorJob& job, arrow::RecordBatchReader* rows) {
    Batch batch;
    batch.rows_ = rows;
    if (rows != nullptr) return batch;
    ARROW_ASSIGN_OR_RAISE(Source files, Source::List(ListingOf(job), OnBadFile::kError));
    batch.files_.emplace(std::move(files));
    return batch;
  }

  arrow::Status Survey(const Source::ColumnChoice& choice, const Runtime& runtime) {
    if (files_) {
      ARROW_RETURN_NOT_OK(files_->Survey(choice, {}, runtime));
      embedding_ = files_->embedding();
      return arrow::Status::OK();
    }
    return ResolveEmbeddingColumn(*rows_->schema(), kBatchStream, choice).Value(&embedding_);
  }

  arrow::Status Watch(BatchWatcher& watcher, const std::shared_ptr<const PreparedModel>& prepared,
                      StageClock& clock) const {
    return files_ ? watcher.Watch(*files_, prepared, clock)
                  : watcher.Watch(*rows_, embedding_, prepared, clock);
  }

  const std::string& embedding() const { return embedding_; }
  std::string name() const { return files_ ? files_->name() : kBatchStream; }
  std::size_t num_files() const { return files_ ? files_->files().size() : 0; }

 private:
  std::optional<Source> files_;
  arrow::RecordBatchReader* rows_ = nullptr;
  std::string embedding_;
};

}  // namespace

arrow::Result<MonitorReport> WatchBatch(const MonitorJob& job, StageClock& clock) {
  ARROW_RETURN_NOT_OK(job.Validate());
  // What is missing among the rows is reported before what is wrong with the model.
  ARROW_RETURN_NOT_OK(Source::List(ListingOf(job), OnBadFile::kError).status());
  ARROW_ASSIGN_OR_RAISE(const Model model, LoadModel(job.model));
  return WatchBatch(job, model, /*rows=*/nullptr, clock);
}

arrow::Result<MonitorReport> WatchBatch(const MonitorJob& job, const Model& model,
                                        arrow::RecordBatchReader* rows, StageClock& clock) {
  ARROW_RETURN_NOT_OK(job.Validate());
  ARROW_ASSIGN_OR_RAISE(Batch input, Batch::List(job, rows));
  ARROW_RETURN_NOT_OK(CheckWatchable(model, job.model));
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
      input.Survey({job.options.embedding, model.options.embedding}, clock.runtime()));
  ScoreOptions score_options;
  score_options.invalid = job.options.invalid;
  ARROW_ASSIGN_OR_RAISE(const auto prepared, PreparedModel::Make(model, score_options));
  const std::uint64_t seed = arrow_io::Hash(bytes.data(), bytes.size());
  algorithms::DriftWatch watch(model.watch, seed, state.memory);
  BatchWatcher watcher(model, watch, seed);
  ARROW_RETURN_NOT_OK(input.Watch(watcher, prepared, clock));
  const RowCounts& counts = watcher.counts();
  if (counts.in == counts.invalid) {
    return arrow::Status::Invalid("`input`: ", input.name(), ": none of ", counts.in,
                                  " rows has a valid embedding; there is nothing to watch, and ",
                                  "the state stays as it was");
  }
  Remember(watch, watcher, job.options.level, state);
  MonitorReport report{
      .options = job.options,
      .counts = counts,
      .decision = prepared->decision(),
      .model_warnings = WarningsOfModel(model.summary, prepared->decision(), model.LacksDistance()),
      .num_files = input.num_files(),
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
