#include "pipelines/monitor/monitor.h"

#include <arrow/record_batch.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "algorithms/compute/format_number.h"
#include "algorithms/guarantees/batch_share.h"
#include "algorithms/guarantees/drift_watch.h"
#include "arrow_io/embedding_column.h"
#include "arrow_io/hash.h"
#include "arrow_io/input_files.h"
#include "arrow_io/parquet_input.h"
#include "arrow_io/staged_output.h"
#include "pipelines/fit/memory.h"
#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/model/model.h"
#include "pipelines/report/report_page.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/run/job_paths.h"
#include "pipelines/run/run_state.h"
#include "pipelines/run/utc_time.h"

namespace spuna {
namespace {

using arrow_io::InputFile;
using arrow_io::InputFiles;
using arrow_io::ParquetInput;
using arrow_io::StagedOutput;

// Rows are decided on by the model's own classifier, and watched with the others.
class BatchWatcher {
 public:
  BatchWatcher(const Model& model, RowScorer scorer, algorithms::DriftWatch& watch,
               std::uint64_t seed)
      : model_(model), scorer_(std::move(scorer)), watch_(watch), share_(model.watch, seed) {
    watch_.BeginBatch();
  }

  arrow::Status Add(const std::shared_ptr<arrow::Array>& embeddings,
                    const arrow_io::ColumnLocation& location, const Runtime& runtime) {
    ARROW_ASSIGN_OR_RAISE(const ScoredRows scored, scorer_.Score(embeddings, location, runtime));
    counts_ += scored.counts;
    ARROW_ASSIGN_OR_RAISE(const arrow_io::EmbeddingRows rows,
                          arrow_io::ReadEmbeddings(embeddings, model_.dimension(), location));
    algorithms::Execution execution;
    execution.num_threads = runtime.num_threads;
    execution.should_stop = runtime.should_stop;
    const algorithms::EmbeddingsView view{rows.values, static_cast<std::size_t>(rows.num_rows),
                                          static_cast<std::size_t>(rows.dimension)};
    std::vector<std::vector<float>> scores(model_.watch.size());
    for (std::size_t k = 0; k < scores.size(); ++k) {
      const std::vector<float> all = model_.watch[k].classifier.Score(view, execution);
      for (std::size_t row = 0; row < all.size(); ++row) {
        if (rows.valid[row] != 0) scores[k].push_back(all[row]);
      }
    }
    watch_.Add(scores);
    share_.Add(scores);
    return arrow::Status::OK();
  }

  const RowCounts& counts() const { return counts_; }
  const Decision& decision() const { return scorer_.decision(); }
  algorithms::Share EstimateShare() const { return share_.Estimate(); }

 private:
  const Model& model_;
  RowScorer scorer_;
  algorithms::DriftWatch& watch_;
  algorithms::BatchShare share_;
  RowCounts counts_;
};

arrow::Status WatchFiles(const InputFiles& input, const std::string& embedding,
                         BatchWatcher& watcher, StageClock& clock) {
  for (std::size_t i = 0; i < input.files.size(); ++i) {
    const InputFile& file = input.files[i];
    clock.Report("watch", static_cast<double>(i) / static_cast<double>(input.files.size()));
    ARROW_RETURN_NOT_OK(ReadUnchanged(file, [&]() -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file));
      ARROW_ASSIGN_OR_RAISE(const int column, arrow_io::FindEmbeddingColumn(
                                                  *parquet->schema(), embedding, parquet->name()));
      return parquet->ForEachBatch({column}, [&](const ParquetInput::Batch& batch) {
        if (clock.runtime().ShouldStop()) return arrow::Status::Cancelled("interrupted");
        return watcher.Add(batch.rows->column(0), {embedding, parquet->name(), batch.first_row},
                           clock.runtime());
      });
    }));
  }
  return arrow::Status::OK();
}

// The files that a run writes: all or, where one can't be written, none.
class MonitorOutputs {
 public:
  arrow::Status Stage(const std::optional<std::string>& path, const std::string& option) {
    if (!path) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(StagedOutput output, StagedOutput::Create({*path, true, option}));
    outputs_.emplace_back(option, std::move(output));
    return arrow::Status::OK();
  }

  // Writes the text of an option's file, if there is one.
  template <typename MakeText>
  arrow::Status Write(const std::string& option, MakeText make_text) {
    for (const auto& [name, output] : outputs_) {
      if (name != option) continue;
      const arrow::Status written = arrow_io::WriteBytes(output.path(), make_text());
      if (!written.ok()) {
        return written.WithMessage("`", option, "`: ", output.target().string(),
                                   ": can't be written: ", written.message());
      }
    }
    return arrow::Status::OK();
  }

  // In the order in which they were staged.
  arrow::Status Commit() {
    for (const auto& [name, output] : outputs_) ARROW_RETURN_NOT_OK(output.Check());
    for (auto& [name, output] : outputs_) ARROW_RETURN_NOT_OK(output.Commit());
    return arrow::Status::OK();
  }

 private:
  std::vector<std::pair<std::string, StagedOutput>> outputs_;
};

arrow::Status CheckPaths(const MonitorJob& job) {
  JobPaths paths;
  ARROW_RETURN_NOT_OK(paths.AddInputs(job.input, "input"));
  ARROW_RETURN_NOT_OK(paths.AddInputs({job.model}, "model"));
  if (job.metrics) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.metrics, "metrics"));
  if (job.report) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.report, "report"));
  if (job.state) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.state, "state"));
  return arrow::Status::OK();
}

}  // namespace

arrow::Status MonitorOptions::Validate() const {
  if (level > 0 && level < 1) return arrow::Status::OK();
  return arrow::Status::Invalid("`level` must be more than 0 and less than 1, but is ",
                                algorithms::FormatNumber(level));
}

arrow::Result<MonitorReport> Run(const MonitorJob& job, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<MonitorReport> {
    StageClock clock(runtime);
    ARROW_RETURN_NOT_OK(job.options.Validate());
    ARROW_ASSIGN_OR_RAISE(const InputFiles input, arrow_io::ListInputFiles(job.input, "input"));
    ARROW_ASSIGN_OR_RAISE(const Model model, LoadModel(job.model));
    if (model.watch.empty()) {
      return arrow::Status::Invalid("`model`: ", job.model,
                                    ": holds nothing to watch with, since it was fitted without ",
                                    "cross-fitting; fit with `recipe` robust or fast");
    }
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
    MonitorOutputs outputs;
    ARROW_RETURN_NOT_OK(outputs.Stage(job.metrics, "metrics"));
    ARROW_RETURN_NOT_OK(outputs.Stage(job.report, "report"));
    ARROW_RETURN_NOT_OK(outputs.Stage(job.state, "state"));

    ARROW_ASSIGN_OR_RAISE(
        const std::string embedding,
        ResolveEmbeddingColumn(input, job.options.embedding, model.options.embedding));
    ScoreOptions score_options;
    score_options.embedding = embedding;
    score_options.invalid = job.options.invalid;
    ARROW_ASSIGN_OR_RAISE(RowScorer scorer, RowScorer::Make(model, score_options));
    const std::uint64_t seed = arrow_io::Hash(bytes.data(), bytes.size());
    algorithms::DriftWatch watch(model.watch, seed, state.memory);
    BatchWatcher watcher(model, std::move(scorer), watch, seed);
    ARROW_RETURN_NOT_OK(WatchFiles(input, embedding, watcher, clock));
    const RowCounts& counts = watcher.counts();
    if (counts.in == counts.invalid) {
      return arrow::Status::Invalid("`input`: ", NameOf(input), ": none of ", counts.in,
                                    " rows has a valid embedding; there is nothing to watch, and ",
                                    "the state stays as it was");
    }

    state.memory = watch.memory();
    auto count = [](std::int64_t rows) { return static_cast<std::uint64_t>(rows); };
    state.history.push_back({state.memory.num_batches, UtcTime(std::chrono::system_clock::now()),
                             count(counts.in), count(counts.kept), count(counts.dropped),
                             count(counts.invalid), watcher.EstimateShare(), watch.Evidence(),
                             watch.Finds(job.options.level)});
    if (state.history.size() > MonitorState::kMaxHistory) {
      state.history.erase(state.history.begin());
    }
    MonitorReport report;
    report.options = job.options;
    report.options.embedding = embedding;
    report.counts = counts;
    report.decision = watcher.decision();
    report.num_files = input.files.size();
    report.history = state.history;
    report.rows_watched = state.memory.num_rows;
    report.p_value = watch.PValue();
    report.model_hash = state.model_hash;
    clock.Pause();
    ARROW_RETURN_NOT_OK(outputs.Write("metrics", [&] { return ToOpenMetrics(report); }));
    ARROW_RETURN_NOT_OK(
        outputs.Write("report", [&] { return RenderReportPage(ToReportPage(report)); }));
    ARROW_RETURN_NOT_OK(outputs.Write("state", [&] { return SerializeState(state); }));
    if (runtime.ShouldStop()) return arrow::Status::Cancelled("interrupted");
    ARROW_RETURN_NOT_OK(outputs.Commit());
    report.seconds = clock.Seconds();
    report.peak_memory_bytes = PeakMemoryBytes();
    return report;
  });
}

}  // namespace spuna
