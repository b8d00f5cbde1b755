#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

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
  };

  /// Directories are taken at once. Files are left to Stage, since what exists may be our own.
  static arrow::Result<ScoreOutputs> Open(const Source& source, const Targets& targets,
                                          const nlohmann::json& configuration);

  /// The output and the state of a run into directories; null for files.
  OutputDirectory* directory() { return directory_ ? &*directory_ : nullptr; }

  /// The manifest of an earlier run that has done it all.
  std::optional<nlohmann::json> finished() const;

  /// Reserves files. With a `state` beside them, those of a run that was stopped while it gave them
  /// their names are our own.
  arrow::Status Stage(const RunState* state);

  arrow::Result<LakeRecord> Score(const ScoreRequest& request, StageClock& clock);

  /// Gives the files their names, or ends the directories with their manifest. `state` as in Stage.
  arrow::Status Finish(const nlohmann::json& manifest, RunState* state);

 private:
  explicit ScoreOutputs(Targets targets) : targets_(std::move(targets)) {}

  Targets targets_;
  std::optional<OutputDirectory> directory_;
  std::optional<OutputDirectory> dropped_directory_;
  OutputSet files_;
};

}  // namespace spuna
