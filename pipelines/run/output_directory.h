#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pipelines/run/run_state.h"

namespace spuna {

/// A directory that runs fill file by file, and add to later. Each file appears whole, and
/// `_SUCCESS` last; a run that changes anything removes it first. It is empty, since readers of a
/// directory stumble over other files that are not.
///
/// The state lies beside it (StateOf): the configuration, the manifest of the last run that
/// finished, and what that run wants to keep. A directory is ours if it has such a state, or is
/// empty; no other is touched.
///
/// An output that has been finished and is to be replaced stays as it is: the new one is made
/// within the state, and takes its place when it is whole.
class OutputDirectory {
 public:
  struct Target {
    std::filesystem::path path;
    /// Whether the output of another run may be replaced.
    bool overwrite = false;
    /// The option that named it, and the one that replaces what is there, for messages.
    std::string option;
    std::string remedy = "--overwrite";
  };

  /// Takes the directory for a run of this configuration, and creates it where it is missing. The
  /// output of another configuration is an error that says what differs, unless it may be replaced.
  static arrow::Result<OutputDirectory> Open(const Target& target,
                                             const nlohmann::json& configuration);

  OutputDirectory(OutputDirectory&& other) noexcept;
  ~OutputDirectory();

  /// Where the files are now: in the directory, or where the one is made that will replace it.
  const std::filesystem::path& path() const { return data_; }
  /// The directory itself, for messages.
  const std::filesystem::path& target() const { return target_.path; }

  /// The manifest of the last run that has finished here; none where none has, or where its output
  /// is being replaced.
  const std::optional<nlohmann::json>& manifest() const { return manifest_; }
  /// Whether it is marked as finished.
  bool HasSuccess() const;
  /// Whether no run has begun to change it since.
  bool IsIdle() const;

  /// The state of the run.
  RunState& state() { return *state_; }
  const RunState& state() const { return *state_; }

  /// Removes the mark of success, and what an unfinished run of another configuration left. To be
  /// called before the first change.
  arrow::Status Begin();

  /// Where the next file is to be written.
  std::filesystem::path Staging() const { return state_->PathOf("part.tmp"); }

  /// Gives the file that was written there its name.
  arrow::Status Commit(const std::filesystem::path& relative_path) const;

  /// Removes a file, and the folders that it leaves empty.
  arrow::Status Remove(const std::filesystem::path& relative_path) const;

  /// Saves the manifest, ends the run, marks success, and puts the directory in the place of the
  /// one that it replaces. The state keeps kModel.
  arrow::Status Finish(const nlohmann::json& manifest);

  /// What outlives a run in the state: the model that later files are scored with.
  static constexpr const char* kModel = "model.safetensors";

  /// Removes the mark of the output that is being replaced.
  arrow::Status Unmark() const;
  /// Marks a finished output that has lost its mark.
  arrow::Status MarkSuccess() const;

 private:
  explicit OutputDirectory(Target target);
  arrow::Status Error(const std::string& what) const;
  // Whether the directory may be ours; it is made where it is missing.
  arrow::Status Inspect();
  // Finishes what a run that was killed while it replaced the output began; whether there was any.
  arrow::Result<bool> EndSwap();

  Target target_;
  std::filesystem::path data_;
  std::optional<nlohmann::json> manifest_;
  // That of the directory, where another one is made to replace it.
  std::unique_ptr<RunState> held_;
  std::unique_ptr<RunState> state_;
  // Whether this run made the directory.
  bool is_new_ = false;
};

/// Where the state of an output directory is: a hidden sibling, or `.spuna` within it where it is a
/// mount point and nothing beside it is on its disk.
std::filesystem::path StateOf(const std::filesystem::path& directory);

}  // namespace spuna
