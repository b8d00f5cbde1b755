#include "pipelines/score_output.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <system_error>

#include "arrow_io/embedding_column.h"
#include "arrow_io/parquet_input.h"
#include "arrow_io/parquet_output.h"
#include "pipelines/appended_columns_internal.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using arrow_io::ParquetInput;
using arrow_io::ParquetOutput;

// The column to score: the one asked for, else the model's if the file has it, else as always.
arrow::Result<int> ScoredColumn(const ParquetInput& parquet, const Model& model,
                                const std::string& asked) {
  const bool has_model_column = parquet.schema()->GetFieldIndex(model.options.embedding) >= 0;
  const std::string& name = asked.empty() && has_model_column ? model.options.embedding : asked;
  return arrow_io::FindEmbeddingColumn(*parquet.schema(), name, parquet.name());
}

arrow::Result<RowCounts> ScoreFile(const arrow_io::InputFile& file, const Model& model,
                                   const RowScorer& scorer, const std::string& embedding,
                                   const fs::path& output_path, const Runtime& runtime,
                                   const std::function<void(double)>& on_progress) {
  ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file.path));
  ARROW_ASSIGN_OR_RAISE(const int column, ScoredColumn(*parquet, model, embedding));
  const std::vector<int> columns = arrow_io::AllColumns(*parquet->schema());
  ARROW_ASSIGN_OR_RAISE(const auto schema, AppendFields(*parquet->schema(), columns,
                                                        scorer.fields(), parquet->name()));
  ARROW_ASSIGN_OR_RAISE(const auto output,
                        ParquetOutput::Create(output_path, *parquet, columns, schema));
  const std::string& column_name = parquet->schema()->field(column)->name();
  RowCounts counts;
  int row_group = 0;
  ARROW_RETURN_NOT_OK(
      parquet->ForEachBatch(columns, [&](const ParquetInput::Batch& batch) -> arrow::Status {
        if (runtime.ShouldStop()) return arrow::Status::Cancelled("interrupted");
        ARROW_ASSIGN_OR_RAISE(
            const ScoredRows scored,
            scorer.Score(batch.rows->column(column),
                         {column_name, parquet->name(), batch.first_row}, runtime));
        ARROW_ASSIGN_OR_RAISE(const auto rows,
                              AppendColumns(*batch.rows, schema, scored.columns, scored.selected));
        if (batch.row_group != row_group) output->StartRowGroup();
        row_group = batch.row_group;
        ARROW_RETURN_NOT_OK(output->Write(*rows));
        counts += scored.counts;
        on_progress(static_cast<double>(counts.in) / static_cast<double>(parquet->num_rows()));
        return arrow::Status::OK();
      }));
  ARROW_RETURN_NOT_OK(output->Close());
  return counts;
}

arrow::Status WriteManifest(const ScoreResult& result, const Model& model,
                            const ScoreOptions& options, const fs::path& directory) {
  nlohmann::json manifest = {
      {"model", model.Describe()},
      {"by", options.by == ScoreBy::kClassifier ? "classifier" : "neighbors"},
      {"drop", options.drop},
      {"invalid", ToString(options.invalid)},
      {"prefix", options.prefix},
      {"versions", Versions()}};
  auto to_json = [](const RowCounts& counts) {
    return nlohmann::json{{"rows_in", counts.in},
                          {"rows_kept", counts.kept},
                          {"rows_dropped", counts.dropped},
                          {"rows_invalid", counts.invalid}};
  };
  manifest["total"] = to_json(result.counts);
  for (const auto& [path, counts] : result.files) manifest["files"][path] = to_json(counts);
  ARROW_RETURN_NOT_OK(
      arrow_io::WriteBytes(directory / arrow_io::kManifestName, DumpJson(manifest, 2) + "\n"));
  return arrow_io::WriteBytes(directory / "_SUCCESS", "");
}

}  // namespace

arrow::Result<ScoreResult> WriteScores(const arrow_io::InputFiles& input, const Model& model,
                                       const ScoreOptions& options,
                                       const arrow_io::StagedOutput& output, StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(const RowScorer scorer, RowScorer::Make(model, options));
  ScoreResult result;
  const auto num_files = static_cast<double>(input.files.size());
  for (const arrow_io::InputFile& file : input.files) {
    const double files_done = static_cast<double>(result.files.size());
    clock.Report("score", files_done / num_files);
    fs::path path = output.path();
    if (!input.is_single_file) {
      path /= file.relative_path;
      std::error_code error;
      fs::create_directories(path.parent_path(), error);
      if (error) return arrow::Status::IOError(path.parent_path().string(), ": ", error.message());
    }
    ARROW_ASSIGN_OR_RAISE(
        const RowCounts counts,
        ScoreFile(file, model, scorer, options.embedding, path, clock.runtime(),
                  [&](double done) { clock.Report("score", (files_done + done) / num_files); }));
    result.files[file.relative_path.string()] = counts;
    result.counts += counts;
  }
  if (!input.is_single_file)
    ARROW_RETURN_NOT_OK(WriteManifest(result, model, options, output.path()));
  clock.Pause();
  return result;
}

}  // namespace spuna
