#pragma once

#include <arrow/result.h>

#include <map>
#include <string>

#include "arrow_io/input_files.h"
#include "arrow_io/staged_output.h"
#include "pipelines/model.h"
#include "pipelines/options.h"
#include "pipelines/row_scorer.h"
#include "pipelines/runtime.h"

namespace spuna {

/// What became of a whole input and of its files, by relative path.
struct ScoreResult {
  RowCounts counts;
  std::map<std::string, RowCounts> files;
};

/// Whether the columns that scoring appends are new to every file.
arrow::Status CheckScoreColumns(const arrow_io::InputFiles& input, const ScoreOptions& options);

/// Scores every row of the input and writes it again with our columns appended: one file for one
/// file, else a directory of the same layout, with a manifest and, last of all, _SUCCESS. Columns,
/// metadata, row order, row groups and compression stay as they are. The output is staged, not
/// committed.
arrow::Result<ScoreResult> WriteScores(const arrow_io::InputFiles& input, const Model& model,
                                       const ScoreOptions& options,
                                       const arrow_io::StagedOutput& output, StageClock& clock);

}  // namespace spuna
