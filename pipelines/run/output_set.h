#pragma once

#include <arrow/status.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow_io/staged_output.h"
#include "pipelines/run/run_state.h"

namespace spuna {

/// Files that a run writes: reserved before the work, checked and journaled after it, then given
/// their names together. Until then nothing is seen of them.
class OutputSet {
 public:
  /// Reserves a file under its name; nothing where there is no path. `option` named it.
  arrow::Status Add(const std::string& option, const std::optional<std::string>& path,
                    bool may_replace);

  /// The file that an option named; null where it named none.
  const arrow_io::StagedOutput* Find(const std::string& option) const;

  /// Forgets a file: it keeps what was there.
  void Remove(const std::string& option);

  /// Writes all bytes of a file, where the option named one.
  arrow::Status Write(const std::string& option, const std::string& bytes) const;

  /// Gives all files their names, in the order in which they were added. Fails before the first
  /// where one can't have its name.
  arrow::Status Commit();

  /// The same, with an entry in the journal between the check and the first name: from then on what
  /// exists under these names is the run's own.
  arrow::Status Commit(RunState& state, const std::string& key, const nlohmann::json& value);

 private:
  arrow::Status Check() const;
  arrow::Status GiveNames();

  std::vector<std::pair<std::string, arrow_io::StagedOutput>> outputs_;
};

}  // namespace spuna
