#pragma once

#include <arrow/result.h>

#include "arrow_io/staged_output.h"
#include "pipelines/model/model.h"
#include "pipelines/options/options.h"
#include "pipelines/run/output_directory.h"
#include "pipelines/run/runtime.h"
#include "pipelines/score/file_record.h"
#include "pipelines/source/source.h"

namespace spuna {

/// What to score, and by what. The source must have been surveyed.
struct ScoreRequest {
  const Source& source;
  const Model& model;
  const ScoreOptions& options;
};

/// Scores the rows of a single file and writes them again with our columns appended. Columns,
/// metadata, row order, row groups and compression stay as they are. The rows that are dropped go
/// to `dropped`, which may be null. The outputs are staged, not committed.
arrow::Result<LakeRecord> ScoreIntoFile(const ScoreRequest& request,
                                        const arrow_io::StagedOutput& kept,
                                        const arrow_io::StagedOutput* dropped, StageClock& clock);

/// The same for many files and directories of the same layout. Files that the directory's state has
/// as done, and that are there as they were written, are left alone.
arrow::Result<LakeRecord> ScoreIntoDirectory(const ScoreRequest& request, OutputDirectory& kept,
                                             OutputDirectory* dropped, StageClock& clock);

}  // namespace spuna
