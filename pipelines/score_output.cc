#include "pipelines/score_output.h"

#include <arrow/chunked_array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "arrow_io/annotated_copy.h"
#include "arrow_io/embedding_column.h"
#include "arrow_io/parquet_input.h"
#include "arrow_io/parquet_output.h"
#include "pipelines/appended_columns.h"
#include "pipelines/assembly_line.h"
#include "pipelines/embedding_matrix.h"
#include "pipelines/json_text.h"
#include "pipelines/option_words.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using arrow_io::AnnotatedCopy;
using arrow_io::ParquetInput;
using arrow_io::ParquetOutput;

// Scores the files of an input one by one.
class FileScorer {
 public:
  // All must outlive it.
  FileScorer(const RowScorer& scorer, const std::string& embedding, bool selects_rows,
             const Runtime& runtime)
      : scorer_(scorer), embedding_(embedding), selects_rows_(selects_rows), runtime_(runtime) {}

  // Writes to `path`, which messages call `name`. `on_progress` gets the share of rows done.
  arrow::Result<RowCounts> Score(const arrow_io::InputFile& file, const fs::path& path,
                                 const std::string& name,
                                 const std::function<void(double)>& on_progress) const {
    ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file.path));
    const arrow::Schema& input_schema = *parquet->schema();
    ARROW_ASSIGN_OR_RAISE(const int column,
                          arrow_io::FindEmbeddingColumn(input_schema, embedding_, parquet->name()));
    ARROW_ASSIGN_OR_RAISE(const auto schema,
                          AppendFields(input_schema, scorer_.fields(), parquet->name()));
    const Task task{*parquet, column, path, name, schema, on_progress};
    return selects_rows_ || !AnnotatedCopy::CanCopy(*parquet) ? Rewrite(task) : Copy(task);
  }

 private:
  // A file to score.
  struct Task {
    const ParquetInput& input;
    int column;
    const fs::path& path;
    const std::string& name;
    const std::shared_ptr<arrow::Schema>& schema;
    const std::function<void(double)>& on_progress;
  };

  // A run of rows on its way: read, then scored.
  struct Run {
    ParquetInput::Batch batch;
    ScoredRows scored;
  };

  // Sends the file's batches of some columns through scoring to `write`. The embeddings are column
  // `position` of a batch.
  template <typename Write>
  arrow::Result<RowCounts> ScoreBatches(const Task& task, const std::vector<int>& columns,
                                        int position, Write write) const {
    ParquetInput::Cursor cursor = task.input.Read(columns);
    auto read = [&]() -> arrow::Result<std::optional<ParquetInput::Batch>> {
      if (runtime_.ShouldStop()) return arrow::Status::Cancelled("interrupted");
      ARROW_ASSIGN_OR_RAISE(ParquetInput::Batch batch, cursor.Next());
      if (batch.rows == nullptr) return std::nullopt;
      return batch;
    };
    RowCounts counts;
    auto score = [&](ParquetInput::Batch batch) -> arrow::Result<Run> {
      ARROW_ASSIGN_OR_RAISE(
          ScoredRows scored,
          scorer_.Score(batch.rows->column(position),
                        {embedding_, task.input.name(), batch.first_row}, runtime_));
      counts += scored.counts;
      task.on_progress(static_cast<double>(counts.in) / static_cast<double>(task.input.num_rows()));
      return Run{std::move(batch), std::move(scored)};
    };
    ARROW_RETURN_NOT_OK(RunAssemblyLine(runtime_.num_threads > 1, read, score, write));
    return counts;
  }

  // Decodes all columns and encodes those rows again that are wanted.
  arrow::Result<RowCounts> Rewrite(const Task& task) const {
    const std::vector<int> columns = arrow_io::AllColumns(*task.input.schema());
    ARROW_ASSIGN_OR_RAISE(const auto output, ParquetOutput::Create(task.path, task.name, task.input,
                                                                   columns, task.schema));
    auto write = [&](const Run& run) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(
          const auto rows,
          AppendColumns(*run.batch.rows, task.schema, run.scored.columns, run.scored.selected));
      if (run.batch.starts_row_group) output->StartRowGroup();
      return output->Write(*rows);
    };
    ARROW_ASSIGN_OR_RAISE(const RowCounts counts, ScoreBatches(task, columns, task.column, write));
    ARROW_RETURN_NOT_OK(output->Close());
    return counts;
  }

  // Decodes the embeddings only: with all rows wanted, the columns are copied as they are.
  arrow::Result<RowCounts> Copy(const Task& task) const {
    ARROW_ASSIGN_OR_RAISE(const auto output,
                          AnnotatedCopy::Create(task.path, task.name, task.input, task.schema));
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
        ARROW_RETURN_NOT_OK(output->CopyRowGroup(run.batch.row_group));
        appended.resize(run.scored.columns.size());
      }
      for (std::size_t i = 0; i < appended.size(); ++i) {
        appended[i].push_back(run.scored.columns[i]);
      }
      return arrow::Status::OK();
    };
    ARROW_ASSIGN_OR_RAISE(const RowCounts counts, ScoreBatches(task, {task.column}, 0, write));
    ARROW_RETURN_NOT_OK(end_row_group());
    ARROW_RETURN_NOT_OK(output->Close());
    return counts;
  }

  const RowScorer& scorer_;
  const std::string& embedding_;
  // Whether rows may be left out.
  bool selects_rows_;
  const Runtime& runtime_;
};

nlohmann::json ToJson(const RowCounts& counts, ScoreBy by) {
  nlohmann::json json = {{"rows_in", counts.in}, {"rows_invalid", counts.invalid}};
  if (by == ScoreBy::kClassifier) {
    json["rows_kept"] = counts.kept;
    json["rows_dropped"] = counts.dropped;
  }
  return json;
}

arrow::Status WriteManifest(const ScoreResult& result, const Model& model,
                            const ScoreOptions& options, const fs::path& directory) {
  nlohmann::json manifest = {
      {"model", model.Describe()},
      {"by", options.by == ScoreBy::kClassifier ? "classifier" : "neighbors"},
      {"drop", options.drop},
      {"invalid", ToWord(options.invalid)},
      {"prefix", options.prefix},
      {"versions", Versions()},
      {"total", ToJson(result.counts, options.by)}};
  for (const auto& [path, counts] : result.files) {
    manifest["files"][path] = ToJson(counts, options.by);
  }
  ARROW_RETURN_NOT_OK(
      arrow_io::WriteBytes(directory / arrow_io::kManifestName, DumpJson(manifest, 2) + "\n"));
  return arrow_io::WriteBytes(directory / "_SUCCESS", "");
}

}  // namespace

arrow::Status CheckScoreColumns(const arrow_io::InputFiles& input, const ScoreOptions& options) {
  for (const arrow_io::InputFile& file : input.files) {
    ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file.path));
    const arrow::Schema& schema = *parquet->schema();
    ARROW_RETURN_NOT_OK(AppendFields(schema, RowScorer::Fields(options), parquet->name()));
  }
  return arrow::Status::OK();
}

arrow::Result<ScoreResult> WriteScores(const arrow_io::InputFiles& input, const Model& model,
                                       const ScoreOptions& options,
                                       const arrow_io::StagedOutput& output, StageClock& clock) {
  clock.Report("score", 0);
  ARROW_ASSIGN_OR_RAISE(const RowScorer scorer, RowScorer::Make(model, options));
  ARROW_ASSIGN_OR_RAISE(const std::string embedding,
                        ResolveEmbeddingColumn(input, options.embedding, model.options.embedding));
  const bool selects_rows = options.drop || options.invalid == InvalidRows::kDrop;
  const FileScorer file_scorer(scorer, embedding, selects_rows, clock.runtime());
  ScoreResult result;
  const auto num_files = static_cast<double>(input.files.size());
  for (const arrow_io::InputFile& file : input.files) {
    fs::path path = output.path();
    fs::path name = output.target();
    if (!input.is_single_file) {
      path /= file.relative_path;
      name /= file.relative_path;
      std::error_code error;
      fs::create_directories(path.parent_path(), error);
      if (error) {
        return arrow::Status::IOError(name.string(), " can't be written: ", error.message());
      }
    }
    const auto files_done = static_cast<double>(result.files.size());
    ARROW_ASSIGN_OR_RAISE(const RowCounts counts,
                          file_scorer.Score(file, path, name.string(), [&](double done) {
                            clock.Report("score", (files_done + done) / num_files);
                          }));
    result.files[file.relative_path.string()] = counts;
    result.counts += counts;
  }
  if (!input.is_single_file) {
    ARROW_RETURN_NOT_OK(WriteManifest(result, model, options, output.path()));
  }
  clock.Pause();
  return result;
}

}  // namespace spuna
