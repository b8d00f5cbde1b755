#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipelines/options/options.h"
#include "pipelines/run/row_counts.h"

namespace spuna {

/// What is recorded of a file that was scored, or of all of them, in the journal and the manifest.
struct FileRecord {
  RowCounts counts;
  std::int64_t rows_out = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  /// Of the file of dropped rows; 0 when there is none.
  std::int64_t bytes_dropped = 0;

  // Of a single file:
  /// When the input was changed last, as its stamp has it.
  std::int64_t changed = 0;
  /// The hashes of the footers of input and outputs; empty where none was taken.
  std::string footer_in;
  std::string footer_out;
  std::string footer_dropped;
  /// The hashes of all bytes, where the run was asked to verify.
  std::string content_in;
  std::string content_out;
  std::string content_dropped;
  /// The hash of what a person said of its rows; empty where nothing was.
  std::string reviews;
  /// Whether it was scored by a run that came after that of the fit.
  bool after_fit = false;

  /// Adds up what can be added up.
  FileRecord& operator+=(const FileRecord& other);
};

/// As a manifest has it. What was scored by neighbors keeps and drops nothing.
nlohmann::json ToJson(const FileRecord& record, ScoreBy by);
FileRecord FileRecordFrom(const nlohmann::json& from);

/// The records of a whole input, and of its files by relative path.
struct LakeRecord {
  FileRecord total;
  std::map<std::string, FileRecord> files;
};

}  // namespace spuna
