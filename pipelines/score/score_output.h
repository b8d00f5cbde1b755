#pragma once

#include <arrow/result.h>

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "arrow_io/input_files.h"
#include "arrow_io/parquet_input.h"
#include "arrow_io/staged_output.h"
#include "pipelines/model/model.h"
#include "pipelines/options/options.h"
#include "pipelines/run/output_directory.h"
#include "pipelines/run/runtime.h"
#include "pipelines/score/row_scorer.h"
#include "pipelines/source/bad_files.h"
#include "pipelines/source/file_survey.h"

namespace spuna {

/// What to score, and by what.
struct ScoreRequest {
  const arrow_io::InputFiles& input;
  const FileSurvey& survey;
  const Model& model;
  const ScoreOptions& options;
  BadFiles& bad_files;
};

/// What became of a file, and of all of them.
struct ScoredFile {
  RowCounts counts;
  std::int64_t rows_out = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  /// Of the file of dropped rows; 0 when there is none.
  std::int64_t bytes_dropped = 0;

  ScoredFile& operator+=(const ScoredFile& other);
};

/// As a manifest has it. What was scored by neighbors keeps and drops nothing.
nlohmann::json ToJson(const ScoredFile& file, ScoreBy by);
ScoredFile ScoredFileFrom(const nlohmann::json& from);

/// What became of a whole input, and of its files by relative path.
struct ScoreResult {
  ScoredFile total;
  std::map<std::string, ScoredFile> files;
};

/// Whether the columns that scoring appends are new to a file.
arrow::Status CheckScoreColumns(const arrow_io::ParquetInput& input, const ScoreOptions& options);

/// Scores the rows of a single file and writes them again with our columns appended. Columns,
/// metadata, row order, row groups and compression stay as they are. The rows that are dropped go
/// to `dropped`, which may be null. The outputs are staged, not committed.
arrow::Result<ScoreResult> ScoreIntoFile(const ScoreRequest& request,
                                         const arrow_io::StagedOutput& kept,
                                         const arrow_io::StagedOutput* dropped, StageClock& clock);

/// The same for many files and directories of the same layout. Files that the directory's state has
/// as done, and that are there as they were written, are left alone.
arrow::Result<ScoreResult> ScoreIntoDirectory(const ScoreRequest& request, OutputDirectory& kept,
                                              OutputDirectory* dropped, StageClock& clock);

}  // namespace spuna
