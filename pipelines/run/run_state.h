#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace spuna {

/// What a run saves, so that the same command can resume after it was stopped at any moment.
///
/// A directory within or beside the output:
///
///     configuration.json  what decides the result
///     journal.jsonl       what is done, a line each
///     …                   whatever was saved under a name
///
/// One process at a time may have it open. A state in which nothing was recorded or saved is
/// removed by the destructor; any other stays until Remove. After Settle it is that of an output
/// which later runs add to.
class RunState {
 public:
  struct Place {
    std::filesystem::path directory;
    /// The output it belongs to and the option that named it, for messages.
    std::filesystem::path output;
    std::string option;
    /// What to add to the command to replace what another configuration made.
    std::string remedy = "--overwrite";
  };

  /// What is saved under this name says that a run has finished here.
  static constexpr const char* kManifest = "manifest.json";
  static constexpr const char* kConfiguration = "configuration.json";

  /// Opens the state that a run of this configuration left, or begins a new one. That of another
  /// configuration is an error that says what differs, or is begun anew with `overwrite`.
  static arrow::Result<RunState> Open(const Place& place, const nlohmann::json& configuration,
                                      bool overwrite);

  /// Locks a state and leaves it as it is: what another run has there is not to be touched.
  static arrow::Result<RunState> Hold(const Place& place);
  /// What Open does with a state that is held.
  arrow::Status Resume(const nlohmann::json& configuration, bool overwrite);

  /// The error that Open would end with over a run of another configuration. Changes nothing.
  static arrow::Status Check(const Place& place, const nlohmann::json& configuration);

  RunState(RunState&& other) noexcept;
  RunState& operator=(RunState&& other) = delete;
  ~RunState();

  /// Whether nothing was recorded or saved yet.
  bool IsFresh() const { return journal_.empty() && !has_saved_; }

  /// What was recorded under a key; null when nothing was.
  const nlohmann::json* Find(const std::string& key) const;
  /// All that was recorded.
  const std::map<std::string, nlohmann::json>& journal() const { return journal_; }

  /// Records that something is done. It is safe from a kill when this returns.
  arrow::Status Record(const std::string& key, const nlohmann::json& value);

  /// Keeps some bytes under a name, in place of those that were there: whole or not at all.
  arrow::Status Save(const std::string& name, const std::string& bytes);
  /// The bytes kept under a name; none when there are none.
  std::optional<std::string> Load(const std::string& name) const;

  /// A file within the state, for what is being made.
  std::filesystem::path PathOf(const std::string& name) const { return place_.directory / name; }

  /// Ends the run and keeps the state: of what was saved only these names stay, and nothing is
  /// recorded any more.
  arrow::Status Settle(const std::vector<std::string>& names);

  /// Ends the state: all of it is gone, at once.
  arrow::Status Remove();

 private:
  RunState(Place place, int lock) : place_(std::move(place)), lock_(lock) {}

  arrow::Status Read(const nlohmann::json& configuration, bool overwrite);
  arrow::Status Begin(const nlohmann::json& configuration);
  arrow::Status ReadJournal();
  arrow::Status Explain(const arrow::Status& status) const;

  Place place_;
  // The directory, open and locked.
  int lock_ = -1;
  std::map<std::string, nlohmann::json> journal_;
  bool has_saved_ = false;
};

/// The state directory of an output that is one file: a hidden sibling.
std::filesystem::path StateBeside(const std::filesystem::path& output);

/// Says in which options two configurations differ, "`prefix` was 'a_' and is 'b_' now"; empty when
/// they are equal.
std::string DescribeDifference(const nlohmann::json& before, const nlohmann::json& now);

}  // namespace spuna
