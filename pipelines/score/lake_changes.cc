#include "pipelines/score/lake_changes.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "arrow_io/file_identity.h"
#include "pipelines/run/exception_status.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kKey = "file:";
constexpr const char* kVanished = LakeChanges::kVanished;
constexpr const char* kAltered = LakeChanges::kAltered;

// A file that was written, as it is and as it was recorded.
struct Written {
  fs::path path;
  std::int64_t bytes;
  const std::string& footer;
  const std::string& content;
};

// Whether a file is there as it was written.
bool Holds(const Written& file, bool verify) {
  std::error_code error;
  if (!fs::is_regular_file(file.path, error)) return false;
  if (fs::file_size(file.path, error) != static_cast<std::uintmax_t>(file.bytes) || error) {
    return false;
  }
  const arrow::Result<std::string> footer = arrow_io::FooterHash(file.path);
  if (!footer.ok() || *footer != file.footer) return false;
  if (!verify) return true;
  const arrow::Result<std::string> content = arrow_io::ContentHash(file.path);
  return content.ok() && *content == file.content;
}

// What is recorded by path: of the last run that finished, and over it of one that was stopped.
std::map<std::string, FileRecord> ReadRecords(const OutputDirectory& kept) {
  std::map<std::string, FileRecord> records;
  if (kept.manifest()) {
    for (const char* part : {"files", kVanished, kAltered}) {
      const auto found = kept.manifest()->find(part);
      if (found == kept.manifest()->end() || !found->is_object()) continue;
      for (const auto& [path, record] : found->items()) records[path] = FileRecordFrom(record);
    }
  }
  const std::string prefix = kKey;
  for (const auto& [key, value] : kept.state().journal()) {
    if (key.starts_with(prefix)) records[key.substr(prefix.size())] = FileRecordFrom(value);
  }
  return records;
}

// Whether a part of a manifest is about these files.
bool HasKeys(const json& manifest, const char* part,
             const std::map<std::string, FileRecord>& files) {
  const json listed = manifest.value(part, json::object());
  return listed.size() == files.size() &&
         std::ranges::all_of(files, [&](const auto& file) { return listed.contains(file.first); });
}

class Comparison {
 public:
  Comparison(const OutputDirectory& kept, const OutputDirectory* dropped, bool verify)
      : kept_(kept), dropped_(dropped), verify_(verify) {}

  bool OutputsHold(const std::string& path, const FileRecord& record) const {
    return Holds({kept_.path() / path, record.bytes_out, record.footer_out, record.content_out},
                 verify_) &&
           (dropped_ == nullptr || Holds({dropped_->path() / path, record.bytes_dropped,
                                          record.footer_dropped, record.content_dropped},
                                         verify_));
  }

  bool InputHolds(const arrow_io::InputFile& file, const FileRecord& record) const {
    if (file.stamp.size != record.bytes_in || file.stamp.changed != record.changed) return false;
    auto holds = [](const arrow::Result<std::string>& hash, const std::string& recorded) {
      return !hash.ok() || recorded.empty() || *hash == recorded;
    };
    // A store is asked for each file, so it is taken at its word on sizes and times.
    if (file.filesystem == nullptr && !holds(arrow_io::FooterHash(file), record.footer_in)) {
      return false;
    }
    return !verify_ || holds(arrow_io::ContentHash(file), record.content_in);
  }

  FileChange Compare(const arrow_io::InputFile& file, const FileRecord& record) const {
    if (!InputHolds(file, record)) return FileChange::kChanged;
    if (verify_ && record.content_in.empty()) return FileChange::kLost;
    return OutputsHold(file.relative_path.string(), record) ? FileChange::kUnchanged
                                                            : FileChange::kLost;
  }

 private:
  const OutputDirectory& kept_;
  const OutputDirectory* dropped_;
  bool verify_;
};

}  // namespace

std::string JournalKey(const std::string& relative_path) { return kKey + relative_path; }

bool LakeChanges::HasNewRows(const arrow_io::InputFile& file) const {
  const FileChange change = Of(file);
  return change == FileChange::kNew || change == FileChange::kChanged ||
         resumed.contains(file.relative_path.string());
}

bool LakeChanges::NothingToScore() const {
  return std::ranges::all_of(
      changes, [](const auto& change) { return change.second == FileChange::kUnchanged; });
}

std::vector<std::string> LakeChanges::FilesThatAre(FileChange change) const {
  std::vector<std::string> paths;
  for (const auto& [path, found] : changes) {
    if (found == change) paths.push_back(path);
  }
  return paths;
}

arrow::Result<LakeChanges> CompareLake(const Source& source, const OutputDirectory& kept,
                                       const OutputDirectory* dropped, bool verify,
                                       const PlacedReviews* reviews, const Runtime& runtime) {
  const std::map<std::string, FileRecord> records = ReadRecords(kept);
  const std::vector<arrow_io::InputFile>& files = source.files();
  const Comparison comparison(kept, dropped, verify);
  std::vector<FileChange> changes(files.size(), FileChange::kNew);
  ARROW_RETURN_NOT_OK(CatchExceptions([&]() -> arrow::Status {
    algorithms::ParallelFor(files.size(), runtime.MakeExecution(), [&](std::size_t i, std::size_t) {
      const auto found = records.find(files[i].relative_path.string());
      if (found != records.end()) changes[i] = comparison.Compare(files[i], found->second);
    });
    return arrow::Status::OK();
  }));
  LakeChanges result;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string path = files[i].relative_path.string();
    result.changes[path] = changes[i];
    const bool is_reviewed = changes[i] == FileChange::kUnchanged && reviews != nullptr &&
                             HashOf(reviews->Of(files[i])) != records.at(path).reviews;
    if (is_reviewed) result.changes[path] = changes[i] = FileChange::kReviewed;
    if (changes[i] == FileChange::kLost || is_reviewed) result.lost[path] = records.at(path);
    if (changes[i] != FileChange::kUnchanged) continue;
    result.unchanged[path] = records.at(path);
    if (kept.state().Find(JournalKey(path)) != nullptr) result.resumed.insert(path);
  }
  for (const auto& [path, record] : records) {
    if (result.changes.contains(path)) continue;
    std::error_code error;
    const bool is_there = fs::exists(kept.path() / path, error) ||
                          (dropped != nullptr && fs::exists(dropped->path() / path, error));
    if (!is_there) continue;
    (comparison.OutputsHold(path, record) ? result.vanished : result.altered)[path] = record;
  }
  result.has_stale_records =
      kept.manifest() && (!HasKeys(*kept.manifest(), kVanished, result.vanished) ||
                          !HasKeys(*kept.manifest(), kAltered, result.altered));
  return result;
}

arrow::Status AddIdentity(const arrow_io::InputFile& input, const fs::path& kept,
                          const fs::path& dropped, bool verify, FileRecord& record) {
  record.changed = input.stamp.changed;
  if (input.filesystem == nullptr) {
    ARROW_ASSIGN_OR_RAISE(record.footer_in, arrow_io::FooterHash(input));
  }
  ARROW_ASSIGN_OR_RAISE(record.footer_out, arrow_io::FooterHash(kept));
  if (!dropped.empty()) {
    ARROW_ASSIGN_OR_RAISE(record.footer_dropped, arrow_io::FooterHash(dropped));
  }
  if (!verify) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(record.content_in, arrow_io::ContentHash(input));
  ARROW_ASSIGN_OR_RAISE(record.content_out, arrow_io::ContentHash(kept));
  if (!dropped.empty()) {
    ARROW_ASSIGN_OR_RAISE(record.content_dropped, arrow_io::ContentHash(dropped));
  }
  return arrow::Status::OK();
}

}  // namespace spuna
