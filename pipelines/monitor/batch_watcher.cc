#include "pipelines/monitor/batch_watcher.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <chrono>
#include <vector>

#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/run/utc_time.h"

namespace spuna {

using arrow_io::ParquetInput;

BatchWatcher::BatchWatcher(const Model& model, algorithms::DriftWatch& watch, std::uint64_t seed)
    : model_(model), watch_(watch), share_(model.watch, seed) {
  watch_.BeginBatch();
}

arrow::Status BatchWatcher::Watch(const Source& source,
                                  const std::shared_ptr<const PreparedModel>& prepared,
                                  StageClock& clock) {
  const Runtime& runtime = clock.runtime();
  auto watch = [&](std::size_t file, const ParquetInput& parquet) -> arrow::Status {
    clock.Report("watch", static_cast<double>(file) / static_cast<double>(source.files().size()));
    const BatchScorer scorer =
        BatchScorer::MakeForColumn(prepared, parquet.name(), source.embedding());
    const int column = parquet.schema()->GetFieldIndex(source.embedding());
    return parquet.ForEachBatch({column}, [&](const ParquetInput::Batch& batch) -> arrow::Status {
      ARROW_RETURN_NOT_OK(runtime.CheckStop());
      ARROW_ASSIGN_OR_RAISE(const ScoredBatch scored,
                            scorer.Score(*batch.rows, batch.first_row, runtime));
      Add(scored, runtime);
      return arrow::Status::OK();
    });
  };
  return source.ForEachFile(watch, runtime);
}

arrow::Status BatchWatcher::Watch(arrow::RecordBatchReader& rows, const std::string& embedding,
                                  const std::shared_ptr<const PreparedModel>& prepared,
                                  StageClock& clock) {
  const Runtime& runtime = clock.runtime();
  const BatchScorer scorer = BatchScorer::MakeForColumn(prepared, kBatchStream, embedding);
  std::int64_t first_row = 0;
  while (true) {
    ARROW_RETURN_NOT_OK(runtime.CheckStop());
    clock.Report("watch");
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(rows.ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const ScoredBatch scored, scorer.Score(*batch, first_row, runtime));
    Add(scored, runtime);
    first_row += batch->num_rows();
  }
}

void BatchWatcher::Add(const ScoredBatch& scored, const Runtime& runtime) {
  counts_ += scored.counts;
  std::vector<std::vector<float>> scores(model_.watch.size());
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const std::vector<float> all =
        model_.watch[k].Score(ViewOf(scored.rows), runtime.MakeExecution());
    for (std::size_t row = 0; row < all.size(); ++row) {
      if (scored.rows.valid[row] != 0) scores[k].push_back(all[row]);
    }
  }
  watch_.Add(scores);
  share_.Add(scores);
}

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

}  // namespace spuna
