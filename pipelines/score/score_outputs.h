#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "arrow_io/input_files.h"
#include "arrow_io/staged_output.h"
#include "pipelines/jobs/jobs.h"
#include "pipelines/run/output_directory.h"
#include "pipelines/score/score_output.h"

namespace spuna {

/// Adds to a configuration what decides the rows that scoring writes.
void DescribeScoring(const ScoreOptions& options, bool has_dropped, nlohmann::json& configuration);

/// Whether the options can be used, and go with a place for dropped rows or none.
arrow::Status CheckScoring(const ScoreOptions& options, const std::optional<std::string>& dropped);

/// What a score stands on.
struct ScoreInputs {
  arrow_io::InputFiles input;
  Model model;
  nlohmann::json configuration;
};

/// Checks the options and paths of a job on files, lists its input and loads its model.
arrow::Result<ScoreInputs> PrepareScore(const ScoreJob& job);

/// Reads the footers of its input.
arrow::Result<FileSurvey> SurveyScore(const ScoreJob& job, const ScoreInputs& inputs,
                                      BadFiles& bad_files, const Runtime& runtime);

/// Where scored rows go: a file for a file, else a directory; and the same for dropped rows.
class ScoreOutputs {
 public:
  struct Targets {
    std::string output;
    std::optional<std::string> dropped;
    bool overwrite = false;
  };

  /// Directories are taken at once. Files are left to Stage, since what exists may be our own.
  static arrow::Result<ScoreOutputs> Open(const arrow_io::InputFiles& input, const Targets& targets,
                                          const nlohmann::json& configuration);

  /// The output and the state of a run into directories; null for files.
  OutputDirectory* directory() { return directory_ ? &*directory_ : nullptr; }

  /// The manifest of an earlier run that has done it all.
  std::optional<nlohmann::json> finished() const;

  /// Reserves files. `may_replace` is for what an earlier run of the same command has written.
  arrow::Status Stage(bool may_replace);

  arrow::Result<ScoreResult> Score(const ScoreRequest& request, StageClock& clock);

  /// Gives the files their names, or ends the directories with their manifest.
  arrow::Status Finish(const nlohmann::json& manifest);

 private:
  ScoreOutputs(Targets targets, nlohmann::json configuration)
      : targets_(std::move(targets)), configuration_(std::move(configuration)) {}

  Targets targets_;
  nlohmann::json configuration_;
  std::optional<OutputDirectory> directory_;
  std::optional<OutputDirectory> dropped_directory_;
  std::optional<arrow_io::StagedOutput> file_;
  std::optional<arrow_io::StagedOutput> dropped_file_;
};

/// What a run says of itself in the end.
nlohmann::json MakeManifest(const nlohmann::json& configuration, const ScoreRequest& request,
                            const Decision& decision, const ScoreResult& result, StageClock& clock);

}  // namespace spuna
