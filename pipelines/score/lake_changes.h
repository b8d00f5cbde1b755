#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pipelines/run/output_directory.h"
#include "pipelines/run/runtime.h"
#include "pipelines/score/file_record.h"
#include "pipelines/source/placed_reviews.h"
#include "pipelines/source/source.h"

namespace spuna {

/// What a file of an input is to the output that is there.
enum class FileChange : std::uint8_t {
  kNew,        ///< it has no output
  kChanged,    ///< it is not what it was when it was scored: size, time or footer
  kLost,       ///< its output is gone, is not what was written, or was never verified
  kReviewed,   ///< a person has said something else of its rows than when it was scored
  kUnchanged,  ///< nothing is to be done
};

/// An input held against what earlier runs have recorded.
struct LakeChanges {
  /// Where a manifest has them.
  static constexpr const char* kVanished = "vanished";
  static constexpr const char* kAltered = "altered";

  /// By relative path.
  std::map<std::string, FileChange> changes;
  /// What was recorded of files that are unchanged, and of those whose outputs are lost or are made
  /// again for what a person said.
  std::map<std::string, FileRecord> unchanged;
  std::map<std::string, FileRecord> lost;
  /// Unchanged files that were scored by a run that was stopped: they are new to the manifest.
  std::set<std::string> resumed;
  /// What was recorded of files that are not listed any more, and whose outputs are still there: as
  /// they were written, or altered, and then nobody can make them again.
  std::map<std::string, FileRecord> vanished;
  std::map<std::string, FileRecord> altered;
  /// Whether the manifest says something else of files that are not listed.
  bool has_stale_records = false;

  FileChange Of(const arrow_io::InputFile& file) const {
    return changes.at(file.relative_path.string());
  }
  /// Whether the rows of a file are others than those that the manifest counts.
  bool HasNewRows(const arrow_io::InputFile& file) const;
  /// Whether no file has to be scored.
  bool NothingToScore() const;
  /// The relative paths of the files of one kind.
  std::vector<std::string> FilesThatAre(FileChange change) const;
};

/// Holds an input, which need not be surveyed, against the records of its outputs: what finished
/// runs left in the manifest, and a stopped one in the journal. With `verify` contents are compared
/// too; where none were recorded the output counts as lost. Files of this machine have their
/// footers compared, those of a store their sizes and times. An input that can't be looked at now
/// is what its size and time say.
/// `reviews`, which may be null, are those of its rows now; null leaves files as they were decided.
arrow::Result<LakeChanges> CompareLake(const Source& source, const OutputDirectory& kept,
                                       const OutputDirectory* dropped, bool verify,
                                       const PlacedReviews* reviews, const Runtime& runtime);

/// Adds to the record of a file that was scored what later runs hold it against.
arrow::Status AddIdentity(const arrow_io::InputFile& input, const std::filesystem::path& kept,
                          const std::filesystem::path& dropped, bool verify, FileRecord& record);

/// The key of a file in the journal.
std::string JournalKey(const std::string& relative_path);

}  // namespace spuna
