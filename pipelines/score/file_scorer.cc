#include "pipelines/score/file_scorer.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/chunked_array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "arrow_io/annotated_copy.h"
#include "arrow_io/embedding_column.h"
#include "arrow_io/parquet_input.h"
#include "arrow_io/parquet_output.h"
#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/score/appended_columns.h"
#include "pipelines/score/assembly_line.h"

namespace spuna {
namespace {

using arrow_io::AnnotatedCopy;
using arrow_io::ParquetInput;
using arrow_io::ParquetOutput;

// A run of rows on its way: read, then scored.
struct Run {
  ParquetInput::Batch batch;
  ScoredRows scored;
};

// The rows that are valid and not kept.
arrow::Result<std::shared_ptr<arrow::BooleanArray>> DroppedRows(const ScoredRows& scored) {
  const auto& keep = static_cast<const arrow::BooleanArray&>(*scored.columns[1]);
  arrow::BooleanBuilder dropped;
  for (std::int64_t i = 0; i < keep.length(); ++i) {
    ARROW_RETURN_NOT_OK(dropped.Append(keep.IsValid(i) && !keep.Value(i)));
  }
  std::shared_ptr<arrow::BooleanArray> rows;
  ARROW_RETURN_NOT_OK(dropped.Finish(&rows));
  return rows;
}

}  // namespace

// A file on its way.
struct FileScorer::Task {
  const ParquetInput& input;
  int column;
  const FileTarget& kept;
  const std::optional<FileTarget>& dropped;
  std::shared_ptr<arrow::Schema> schema;
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

FileScore FileScorer::Score(const arrow_io::InputFile& file, const FileTarget& kept,
                            const std::optional<FileTarget>& dropped,
                            const std::function<void(std::int64_t)>& on_progress,
                            std::int64_t max_rows) const {
  FileScore score;
  score.is_input_error = true;
  auto run = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file));
    const arrow::Schema& input_schema = *parquet->schema();
    ARROW_ASSIGN_OR_RAISE(const int column,
                          arrow_io::FindEmbeddingColumn(input_schema, embedding_, parquet->name()));
    ARROW_ASSIGN_OR_RAISE(auto schema,
                          AppendFields(input_schema, scorer_.fields(), parquet->name()));
    Task task{*parquet, column, kept, dropped, std::move(schema), on_progress, max_rows, {}};
    const bool selects_rows = options_.drop || options_.invalid == InvalidRows::kDrop;
    const bool is_copied = !selects_rows && AnnotatedCopy::CanCopy(*parquet);
    const arrow::Status status = is_copied ? Copy(task) : Rewrite(task);
    score.counts = task.counts;
    score.is_input_error = task.input_failed;
    return status;
  };
  score.status = run();
  // What went wrong while the file changed is owed to the change.
  const bool may_have_changed = score.status.ok() || score.is_input_error;
  if (!may_have_changed || score.status.IsCancelled()) return score;
  const arrow::Status unchanged = file.CheckUnchanged();
  if (!unchanged.ok()) {
    score.status = unchanged;
    score.is_input_error = true;
  }
  return score;
}

// Sends the file's batches of some columns through scoring to `write`. The embeddings are column
// `position` of a batch.
template <typename Write>
arrow::Status FileScorer::ScoreBatches(Task& task, const std::vector<int>& columns, int position,
                                       Write write) const {
  ParquetInput::Cursor cursor = task.input.Read(columns);
  auto read = [&]() -> arrow::Result<std::optional<ParquetInput::Batch>> {
    if (runtime_.ShouldStop()) return arrow::Status::Cancelled("interrupted");
    ARROW_ASSIGN_OR_RAISE(ParquetInput::Batch batch, task.FromInput(cursor.Next()));
    const bool is_enough = batch.starts_row_group && batch.first_row >= task.max_rows;
    if (batch.rows == nullptr || is_enough) return std::nullopt;
    return batch;
  };
  auto score = [&](ParquetInput::Batch batch) -> arrow::Result<Run> {
    ARROW_ASSIGN_OR_RAISE(
        ScoredRows scored,
        task.FromInput(scorer_.Score(batch.rows->column(position),
                                     {embedding_, task.input.name(), batch.first_row}, runtime_)));
    task.counts += scored.counts;
    task.on_progress(task.counts.in);
    return Run{std::move(batch), std::move(scored)};
  };
  return RunAssemblyLine(runtime_.num_threads > 1, read, score, write);
}

// Decodes all columns and encodes those rows again that are wanted.
arrow::Status FileScorer::Rewrite(Task& task) const {
  const std::vector<int> columns = arrow_io::AllColumns(*task.input.schema());
  // Two outputs share the memory for row groups.
  const std::int64_t max_row_group_bytes =
      ParquetOutput::kMaxRowGroupBytes / (task.dropped ? 2 : 1);
  auto create = [&](const FileTarget& target) {
    return ParquetOutput::Create(target.path, target.name, task.input, columns, task.schema,
                                 max_row_group_bytes);
  };
  ARROW_ASSIGN_OR_RAISE(const auto kept, create(task.kept));
  std::unique_ptr<ParquetOutput> dropped;
  if (task.dropped) {
    ARROW_ASSIGN_OR_RAISE(dropped, create(*task.dropped));
  }
  auto write_to = [&](ParquetOutput& output, const Run& run,
                      const std::shared_ptr<arrow::BooleanArray>& selected) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(
        const auto rows, AppendColumns(*run.batch.rows, task.schema, run.scored.columns, selected));
    if (run.batch.starts_row_group) output.StartRowGroup();
    return output.Write(*rows);
  };
  auto write = [&](const Run& run) -> arrow::Status {
    ARROW_RETURN_NOT_OK(write_to(*kept, run, run.scored.selected));
    if (dropped == nullptr) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto rows, DroppedRows(run.scored));
    return write_to(*dropped, run, rows);
  };
  ARROW_RETURN_NOT_OK(ScoreBatches(task, columns, task.column, write));
  ARROW_RETURN_NOT_OK(kept->Close());
  return dropped == nullptr ? arrow::Status::OK() : dropped->Close();
}

// Decodes the embeddings only: with all rows wanted, the columns are copied as they are.
arrow::Status FileScorer::Copy(Task& task) const {
  ARROW_ASSIGN_OR_RAISE(const auto output, AnnotatedCopy::Create(task.kept.path, task.kept.name,
                                                                 task.input, task.schema));
  std::vector<arrow::ArrayVector> appended;
  auto end_row_group = [&]() -> arrow::Status {
    if (appended.empty()) return arrow::Status::OK();
    arrow::ChunkedArrayVector columns;
    for (arrow::ArrayVector& chunks : appended) {
      columns.push_back(std::make_shared<arrow::ChunkedArray>(std::move(chunks)));
    }
    appended.clear();
    return output->AppendColumns(columns);
  };
  auto write = [&](const Run& run) -> arrow::Status {
    if (run.batch.starts_row_group) {
      ARROW_RETURN_NOT_OK(end_row_group());
      const arrow::Status copied = output->CopyRowGroup(run.batch.row_group);
      if (output->InputFailed()) task.input_failed = true;
      ARROW_RETURN_NOT_OK(copied);
      appended.resize(run.scored.columns.size());
    }
    for (std::size_t i = 0; i < appended.size(); ++i) {
      appended[i].push_back(run.scored.columns[i]);
    }
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(ScoreBatches(task, {task.column}, 0, write));
  ARROW_RETURN_NOT_OK(end_row_group());
  return output->Close();
}

}  // namespace spuna
