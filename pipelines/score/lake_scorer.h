#pragma once

#include <arrow/result.h>

#include "arrow_io/staged_output.h"
#include "pipelines/model/model.h"
#include "pipelines/options/options.h"
#include "pipelines/run/output_directory.h"
#include "pipelines/run/runtime.h"
#include "pipelines/score/file_record.h"
#include "pipelines/score/lake_changes.h"
#include "pipelines/source/placed_reviews.h"
#include "pipelines/source/source.h"

namespace spuna {

/// What to score, and by what. The source must have been surveyed.
struct ScoreRequest {
  const Source& source;
  const Model& model;
  const ScoreOptions& options;
  /// What a person said of its rows; null for nothing.
  const PlacedReviews* reviews = nullptr;

  const FileReviews* ReviewsOf(std::size_t file) const {
    return reviews == nullptr ? nullptr : reviews->Of(source.files()[file]);
  }
};

/// Scores the rows of a single file and writes them again with our columns appended. Columns,
/// metadata, row order, row groups and compression stay as they are. The rows that are dropped go
/// to `dropped`, which may be null. The outputs are staged, not committed.
arrow::Result<LakeRecord> ScoreIntoFile(const ScoreRequest& request,
                                        const arrow_io::StagedOutput& kept,
                                        const arrow_io::StagedOutput* dropped, StageClock& clock);

/// How an output directory is brought up to date.
struct LakeUpdate {
  const LakeChanges& changes;
  /// Whether to record the contents' hashes.
  bool verify = false;
  /// Whether to remove the outputs of files that have vanished.
  bool prune = false;
  /// Whether the files come after the fit of the model.
  bool after_fit = false;
};

/// An output directory that is up to date.
struct LakeOutcome {
  /// Of all files that are listed and not skipped.
  LakeRecord lake;
  /// Of files that have vanished and whose outputs were left.
  std::map<std::string, FileRecord> vanished;
  std::map<std::string, FileRecord> altered;
  FileCounts counts;
};

/// The same for many files and directories of the same layout. Files that are unchanged are left
/// alone. A file that is skipped loses the output that it had: it was that of another file.
arrow::Result<LakeOutcome> ScoreIntoDirectory(const ScoreRequest& request, const LakeUpdate& update,
                                              OutputDirectory& kept, OutputDirectory* dropped,
                                              StageClock& clock);

}  // namespace spuna
