#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "pipelines/run/output_directory.h"
#include "pipelines/run/output_set.h"
#include "pipelines/score/lake_scorer.h"

namespace spuna {

/// Where scored rows go: a file for a file, else a directory; and the same for dropped rows.
class ScoreOutputs {
 public:
  struct Targets {
    std::string output;
    std::optional<std::string> dropped;
    bool overwrite = false;
    /// The option that replaces what is there, for messages.
    std::string remedy = "--overwrite";
    /// See LakeUpdate.
    bool verify = false;
    bool prune = false;
    /// What a person said of the rows; null for nothing.
    const PlacedReviews* reviews = nullptr;
  };

  /// Directories are taken at once. Files are left to Stage, since what exists may be our own.
  static arrow::Result<ScoreOutputs> Open(const Source& source, const Targets& targets,
                                          const nlohmann::json& configuration);

  /// The output and the state of a run into directories; null for files.
  OutputDirectory* directory() { return directory_ ? &*directory_ : nullptr; }

  const OutputDirectory* directory() const { return directory_ ? &*directory_ : nullptr; }

  /// Holds an input against the directories. To be called before Score, for directories.
  arrow::Status Compare(const Source& source, const Runtime& runtime);
  /// Lets what a person said of rows decide about them. It must outlive this.
  void DecideBy(const PlacedReviews* reviews) { targets_.reviews = reviews; }
  const LakeChanges& changes() const { return changes_; }
  bool prunes() const { return targets_.prune; }

  /// Whether the directories are as an earlier run has finished them, and nothing is to be done.
  bool IsUpToDate() const;
  /// Marks directories that are up to date and have lost their mark.
  arrow::Status MarkSuccess() const;

  /// Reserves files. With a `state` beside them, those of a run that was stopped while it gave them
  /// their names are our own.
  arrow::Status Stage(const RunState* state);

  /// `after_fit` as in LakeUpdate.
  arrow::Result<LakeOutcome> Score(ScoreRequest request, bool after_fit, StageClock& clock);

  /// Gives the files their names, or ends the directories with their manifest. `state` as in Stage.
  arrow::Status Finish(const nlohmann::json& manifest, RunState* state);

 private:
  explicit ScoreOutputs(Targets targets) : targets_(std::move(targets)) {}

  Targets targets_;
  std::optional<OutputDirectory> directory_;
  std::optional<OutputDirectory> dropped_directory_;
  LakeChanges changes_;
  OutputSet files_;
};

}  // namespace spuna
