#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pipelines/run/run_state.h"

namespace spuna {

/// A directory that is filled file by file. Each file appears whole, and at the end a manifest and
/// `_SUCCESS`. Until then `.spuna` in it holds the state of the run. A directory is ours if it has
/// one of the two, or is empty; no other is touched.
class OutputDirectory {
 public:
  struct Target {
    std::filesystem::path path;
    /// Whether the output of another run may be replaced.
    bool overwrite = false;
    /// The option that named it, for messages.
    std::string option;
  };

  /// Takes the directory for a run of this configuration, and creates it where it is missing. The
  /// output of another configuration is an error that says what differs, unless it may be replaced.
  /// With `reopens` a finished output of this configuration is taken up again, with its files.
  static arrow::Result<OutputDirectory> Open(const Target& target,
                                             const nlohmann::json& configuration,
                                             bool reopens = false);

  OutputDirectory(OutputDirectory&& other) noexcept;
  ~OutputDirectory();

  const std::filesystem::path& path() const { return target_.path; }

  /// The manifest, where a run of this very configuration has finished here.
  const std::optional<nlohmann::json>& finished() const { return finished_; }

  /// The state of the run; only where none has finished.
  RunState& state() { return *state_; }

  /// Removes what an earlier run left that is to be replaced. To be called before the first file.
  arrow::Status Begin();

  /// Where the next file is to be written.
  std::filesystem::path Staging() const { return state_->PathOf("part.tmp"); }

  /// Gives the file that was written there its name.
  arrow::Status Commit(const std::filesystem::path& relative_path) const;

  /// Whether a file of this size is there.
  bool Holds(const std::filesystem::path& relative_path, std::int64_t num_bytes) const;

  /// Writes the manifest, ends the state and writes `_SUCCESS`.
  arrow::Status Finish(const nlohmann::json& manifest);

 private:
  explicit OutputDirectory(Target target) : target_(std::move(target)) {}
  arrow::Status Error(const std::string& what) const;
  arrow::Status Inspect(const nlohmann::json& configuration);

  Target target_;
  std::optional<nlohmann::json> finished_;
  std::unique_ptr<RunState> state_;
  // Whether this run made the directory.
  bool is_new_ = false;
};

}  // namespace spuna
