#include "pipelines/score/file_scorer.h"

#include <arrow/array.h>
#include <arrow/chunked_array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "arrow_io/annotated_copy.h"
#include "arrow_io/embedding_column.h"
#include "arrow_io/failure.h"
#include "arrow_io/list_cursor.h"
#include "arrow_io/parquet_input.h"
#include "arrow_io/parquet_output.h"
#include "pipelines/score/assembly_line.h"

namespace spuna {
namespace {

using arrow_io::AnnotatedCopy;
using arrow_io::ParquetInput;
using arrow_io::ParquetOutput;

// A run of rows on its way: read, then scored.
struct Run {
  ParquetInput::Batch batch;
  ScoredBatch scored;
};

}  // namespace

// A file on its way.
struct FileScorer::Task {
  const ParquetInput& input;
  const BatchScorer& scorer;
  const FileTarget& kept;
  const std::optional<FileTarget>& dropped;
  const std::function<void(std::int64_t)>& on_progress;
  std::int64_t max_rows;
  RowCounts counts;
  // Reading and writing run on threads of their own.
  std::atomic<bool> input_failed = false;

  // Notes that it was the input which failed.
  template <typename Result>
  Result FromInput(Result result) {
    if (!result.ok()) input_failed = true;
    return result;
  }
};

FileOutcome FileScorer::Score(const arrow_io::InputFile& file, const FileTarget& kept,
                              const std::optional<FileTarget>& dropped,
                              const std::function<void(std::int64_t)>& on_progress,
                              const FileReviews* reviews, std::int64_t max_rows) const {
  FileOutcome outcome;
  outcome.is_input_error = true;
  auto run = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file));
    ARROW_ASSIGN_OR_RAISE(BatchScorer scorer, BatchScorer::Make(model_, *parquet->schema(),
                                                                {parquet->name(), ""}, embedding_));
    scorer.DecideBy(reviews);
    Task task{*parquet, scorer, kept, dropped, on_progress, max_rows, {}};
    const ScoreOptions& options = model_->options();
    const bool selects_rows = options.drop || options.invalid == InvalidRows::kDrop;
    const bool is_copied =
        !selects_rows && !scorer.columns().ours.empty() && AnnotatedCopy::CanCopy(*parquet);
    const arrow::Status status = is_copied ? Copy(task) : Rewrite(task);
    outcome.counts = task.counts;
    outcome.is_input_error = task.input_failed;
    return status;
  };
  outcome.status = run();
  // What went wrong while the file changed is owed to the change.
  const bool may_have_changed = outcome.status.ok() || outcome.is_input_error;
  if (!may_have_changed || outcome.status.IsCancelled()) return outcome;
  // A store that does not answer is not asked again.
  if (arrow_io::KindOf(outcome.status) == arrow_io::FailureKind::kMayPass) return outcome;
  const arrow::Status unchanged = file.CheckUnchanged();
  if (!unchanged.ok()) {
    outcome.status = unchanged;
    outcome.is_input_error = true;
  }
  return outcome;
}

// Sends the file's batches of some columns, the embeddings among them, through scoring to `write`.
template <typename Cursor, typename Write>
arrow::Status FileScorer::ScoreBatches(Task& task, Cursor cursor, Write write) const {
  auto read = [&]() -> arrow::Result<std::optional<ParquetInput::Batch>> {
    ARROW_RETURN_NOT_OK(runtime_.CheckStop());
    ARROW_ASSIGN_OR_RAISE(ParquetInput::Batch batch, task.FromInput(cursor.Next()));
    const bool is_enough = batch.starts_row_group && batch.first_row >= task.max_rows;
    if (batch.rows == nullptr || is_enough) return std::nullopt;
    return batch;
  };
  auto score = [&](ParquetInput::Batch batch) -> arrow::Result<Run> {
    ARROW_ASSIGN_OR_RAISE(ScoredBatch scored, task.FromInput(task.scorer.Score(
                                                  *batch.rows, batch.first_row, runtime_)));
    // What is only written needs no copy of the embeddings.
    scored.rows = {};
    task.counts += scored.counts;
    task.on_progress(task.counts.in);
    return Run{std::move(batch), std::move(scored)};
  };
  return RunAssemblyLine(runtime_.num_threads > 1, read, score, write);
}

// Decodes the columns that are wanted and encodes those rows again that are.
arrow::Status FileScorer::Rewrite(Task& task) const {
  // Two outputs share the memory for row groups.
  const std::int64_t max_row_group_bytes =
      ParquetOutput::kMaxRowGroupBytes / (task.dropped ? 2 : 1);
  auto create = [&](const FileTarget& target) {
    return ParquetOutput::Create(target.path, target.name, task.input,
                                 task.scorer.columns().sources, task.scorer.schema(),
                                 max_row_group_bytes);
  };
  ARROW_ASSIGN_OR_RAISE(const auto kept, create(task.kept));
  std::unique_ptr<ParquetOutput> dropped;
  if (task.dropped) {
    ARROW_ASSIGN_OR_RAISE(dropped, create(*task.dropped));
  }
  auto write_to = [&](ParquetOutput& output, const Run& run,
                      const std::shared_ptr<arrow::BooleanArray>& selected) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto rows,
                          task.scorer.Append(*run.batch.rows, run.scored, selected));
    if (run.batch.starts_row_group) output.StartRowGroup();
    return output.Write(*rows);
  };
  auto write = [&](const Run& run) -> arrow::Status {
    ARROW_RETURN_NOT_OK(write_to(*kept, run, run.scored.selected));
    if (dropped == nullptr) return arrow::Status::OK();
    return write_to(*dropped, run, run.scored.left_out);
  };
  ARROW_RETURN_NOT_OK(ScoreBatches(task, task.input.Read(task.scorer.needed()), write));
  ARROW_RETURN_NOT_OK(kept->Close());
  return dropped == nullptr ? arrow::Status::OK() : dropped->Close();
}

// Decodes the embeddings only: with all rows wanted, the other columns are copied as they are.
arrow::Status FileScorer::Copy(Task& task) const {
  const OutputColumns& output_columns = task.scorer.columns();
  ARROW_ASSIGN_OR_RAISE(const auto output,
                        AnnotatedCopy::Create(task.kept.path, task.kept.name, task.input,
                                              output_columns.schema, output_columns.sources));
  std::vector<arrow::ArrayVector> appended;
  auto explain = [&](const arrow::Status& status) {
    if (output->InputFailed()) task.input_failed = true;
    return status;
  };
  auto end_row_group = [&]() -> arrow::Status {
    if (appended.empty()) return arrow::Status::OK();
    arrow::ChunkedArrayVector columns;
    for (arrow::ArrayVector& chunks : appended) {
      columns.push_back(std::make_shared<arrow::ChunkedArray>(std::move(chunks)));
    }
    appended.clear();
    return explain(output->AppendColumns(columns));
  };
  auto write = [&](const Run& run) -> arrow::Status {
    if (run.batch.starts_row_group) {
      ARROW_RETURN_NOT_OK(end_row_group());
      ARROW_RETURN_NOT_OK(explain(output->StartRowGroup(run.batch.row_group)));
    }
    ARROW_RETURN_NOT_OK(explain(output->CopyRows(run.batch.rows->num_rows())));
    const arrow::ArrayVector columns = output_columns.ChooseOurs(run.scored.Columns());
    appended.resize(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) appended[i].push_back(columns[i]);
    return arrow::Status::OK();
  };
  arrow_io::ListCursor cursor(task.input,
                              task.input.schema()->GetFieldIndex(task.scorer.embedding()),
                              model_->model().dimension());
  ARROW_RETURN_NOT_OK(ScoreBatches(task, std::move(cursor), write));
  ARROW_RETURN_NOT_OK(end_row_group());
  return output->Close();
}

}  // namespace spuna
