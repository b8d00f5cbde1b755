#include "pipelines/run/run_state.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "arrow_io/failure.h"
#include "arrow_io/staged_output.h"
#include "pipelines/options/json_text.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kJournal = "journal.jsonl";

std::string SystemError() { return std::generic_category().message(errno); }

std::optional<std::string> ReadWhole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (file.bad() || bytes.bad()) return std::nullopt;
  return bytes.str();
}

// The name that a state has while it is removed.
fs::path EndedName(const fs::path& directory) { return directory.string() + "-ended"; }

// Opens a directory and locks it. Another run may remove it between the two: then it is made again.
arrow::Result<int> LockDirectory(const fs::path& directory) {
  std::error_code missing;
  const fs::path folder = directory.has_parent_path() ? directory.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, missing)) {
    return arrow::Status::IOError("the folder ", folder.string(),
                                  " does not exist; create it first");
  }
  while (true) {
    std::error_code error;
    fs::create_directory(directory, error);
    if (error) return arrow::Status::IOError("can't be written: ", error.message());
    const int opened = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) {
      if (errno == ENOENT) continue;
      return arrow::Status::IOError("can't be read: ", SystemError());
    }
    // Where the disk knows no locks there are none.
    if (flock(opened, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(opened);
      return arrow_io::WithKind(
          arrow::Status::IOError("another run is writing this output; wait for its end"),
          arrow_io::FailureKind::kMayPass);
    }
    struct stat held{};
    struct stat named{};
    if (fstat(opened, &held) == 0 && stat(directory.c_str(), &named) == 0 &&
        held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
      return opened;
    }
    close(opened);
  }
}

// An error where a run of another configuration has finished or was stopped.
arrow::Status CompareConfiguration(const RunState::Place& place, const std::string& stored,
                                   const json& configuration) {
  const json before = json::parse(stored, nullptr, /*allow_exceptions=*/false);
  const std::string difference = before.is_discarded() ? "the configuration of the run is damaged"
                                                       : DescribeDifference(before, configuration);
  if (difference.empty()) return arrow::Status::OK();
  std::error_code error;
  if (fs::exists(place.directory / RunState::kManifest, error)) {
    return arrow::Status::Invalid("holds the output of other options or trusted rows: ", difference,
                                  "; repeat the command as it was, choose another name or add `",
                                  place.remedy, "`");
  }
  return arrow::Status::Invalid("a run of another configuration was stopped here: ", difference,
                                "; repeat that command, choose another name or add `", place.remedy,
                                "`");
}

// {"files": 2, "bytes": 300, "hash": …} as "2 files of 300 bytes".
std::optional<std::string> FilesInWords(const json& value) {
  if (!value.is_object() || !value.contains("files") || !value.contains("bytes")) {
    return std::nullopt;
  }
  const std::string files = DumpJson(value["files"]);
  return files + (files == "1" ? " file of " : " files of ") + DumpJson(value["bytes"]) + " bytes";
}

// How one option differs.
std::string DescribeOption(const std::string& key, const json* was, const json* is) {
  auto text = [](const json* value) { return value == nullptr ? "not set" : DumpJson(*value); };
  if (was != nullptr && is != nullptr) {
    const auto files_before = FilesInWords(*was);
    const auto files_now = FilesInWords(*is);
    if (files_before && files_now) {
      return "`" + key + "` was " + *files_before + " and is " +
             (*files_before == *files_now ? "as large, but other content, now"
                                          : *files_now + " now");
    }
  }
  return "`" + key + "` was " + text(was) + " and is " + text(is) + " now";
}

}  // namespace

arrow::Status RunState::Check(const Place& place, const json& configuration) {
  const std::optional<std::string> text = ReadWhole(place.directory / kConfiguration);
  if (!text) return arrow::Status::OK();
  return RunState(place, /*lock=*/-1).Explain(CompareConfiguration(place, *text, configuration));
}

arrow::Result<RunState> RunState::Hold(const Place& place) {
  arrow::Result<int> lock = LockDirectory(place.directory);
  if (!lock.ok()) {
    return lock.status().WithMessage("`", place.option, "`: ", place.output.string(), ": ",
                                     lock.status().message());
  }
  RunState state(place, *lock);
  state.has_saved_ = true;
  return state;
}

arrow::Result<RunState> RunState::Open(const Place& place, const json& configuration,
                                       bool overwrite) {
  ARROW_ASSIGN_OR_RAISE(RunState state, Hold(place));
  ARROW_RETURN_NOT_OK(state.Resume(configuration, overwrite));
  return state;
}

arrow::Status RunState::Resume(const json& configuration, bool overwrite) {
  std::error_code ignored;
  fs::remove_all(EndedName(place_.directory), ignored);
  return Explain(Read(configuration, overwrite));
}

RunState::RunState(RunState&& other) noexcept
    : place_(std::move(other.place_)),
      lock_(std::exchange(other.lock_, -1)),
      journal_(std::move(other.journal_)),
      has_saved_(other.has_saved_) {}

RunState::~RunState() {
  if (lock_ < 0) return;
  std::error_code ignored;
  if (IsFresh()) fs::remove_all(place_.directory, ignored);
  close(lock_);
}

arrow::Status RunState::Read(const json& configuration, bool overwrite) {
  const std::optional<std::string> text = ReadWhole(PathOf(kConfiguration));
  if (!text) {
    // A state without a configuration was stopped before it began. One that can't be read is not
    // to be lost.
    std::error_code error;
    const fs::file_status status = fs::status(PathOf(kConfiguration), error);
    if (status.type() != fs::file_type::not_found || fs::exists(PathOf(kManifest), error)) {
      return arrow::Status::IOError(PathOf(kConfiguration).string(), " can't be read");
    }
    return Begin(configuration);
  }
  const arrow::Status same = CompareConfiguration(place_, *text, configuration);
  if (!same.ok()) {
    if (overwrite) return Begin(configuration);
    // Whatever is here belongs to that other run.
    has_saved_ = true;
    return same;
  }
  has_saved_ = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(place_.directory)) {
    has_saved_ |= entry.path().filename() != kConfiguration && entry.path().extension() != ".tmp";
  }
  return ReadJournal();
}

arrow::Status RunState::Begin(const json& configuration) {
  std::error_code error;
  // What decides comes last: a kill in between leaves a state that is begun again.
  for (const fs::directory_entry& entry : fs::directory_iterator(place_.directory)) {
    if (entry.path().filename() == kConfiguration) continue;
    fs::remove_all(entry.path(), error);
    if (error) return arrow::Status::IOError("can't be replaced: ", error.message());
  }
  ARROW_RETURN_NOT_OK(Save(kConfiguration, DumpJson(configuration, 2)));
  has_saved_ = false;
  return arrow::Status::OK();
}

arrow::Status RunState::ReadJournal() {
  const std::optional<std::string> text = ReadWhole(PathOf(kJournal));
  if (!text) return arrow::Status::OK();
  std::size_t begin = 0;
  for (std::size_t end = text->find('\n'); end != std::string::npos;
       end = text->find('\n', begin)) {
    const json line = json::parse(text->substr(begin, end - begin), nullptr, false);
    if (!line.is_object() || !line.contains("key") || !line["key"].is_string()) break;
    journal_[line["key"].get<std::string>()] = line.value("value", json());
    begin = end + 1;
  }
  // A line that was cut off, on a full disk, must not spoil the next one.
  if (begin < text->size()) {
    std::error_code error;
    fs::resize_file(PathOf(kJournal), begin, error);
    if (error) return arrow::Status::IOError("can't be written: ", error.message());
  }
  return arrow::Status::OK();
}

const json* RunState::Find(const std::string& key) const {
  const auto found = journal_.find(key);
  return found == journal_.end() ? nullptr : &found->second;
}

arrow::Status RunState::Record(const std::string& key, const json& value) {
  const std::string line = DumpJson(json{{"key", key}, {"value", value}}) + "\n";
  const int file = open(PathOf(kJournal).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return Explain(arrow::Status::IOError("can't be written: ", SystemError()));
  const ssize_t written = write(file, line.data(), line.size());
  const bool is_whole = written == static_cast<ssize_t>(line.size());
  const std::string reason = written < 0 ? SystemError() : "there is no space left";
  close(file);
  if (!is_whole) return Explain(arrow::Status::IOError("can't be written: ", reason));
  journal_[key] = value;
  return arrow::Status::OK();
}

arrow::Status RunState::Save(const std::string& name, const std::string& bytes) {
  const fs::path temporary = PathOf(name + ".tmp");
  const arrow::Status written = arrow_io::WriteBytes(temporary, bytes);
  if (!written.ok()) {
    return Explain(written.WithMessage("can't be written: ", written.message()));
  }
  std::error_code error;
  fs::rename(temporary, PathOf(name), error);
  if (error) return Explain(arrow::Status::IOError("can't be written: ", error.message()));
  has_saved_ = true;
  return arrow::Status::OK();
}

std::optional<std::string> RunState::Load(const std::string& name) const {
  return ReadWhole(PathOf(name));
}

arrow::Status RunState::Settle(const std::vector<std::string>& names) {
  std::error_code error;
  // First: what is left of a run without a journal is in nobody's way.
  fs::remove(PathOf(kJournal), error);
  if (error) return Explain(arrow::Status::IOError("can't be removed: ", error.message()));
  journal_.clear();
  for (const fs::directory_entry& entry : fs::directory_iterator(place_.directory)) {
    const std::string name = entry.path().filename().string();
    if (name != kConfiguration && std::ranges::find(names, name) == names.end()) {
      fs::remove_all(entry.path(), error);
    }
  }
  return arrow::Status::OK();
}

arrow::Status RunState::Remove() {
  // A half removed state would look like a run that has to do its work again.
  const fs::path ended = EndedName(place_.directory);
  std::error_code error;
  fs::remove_all(ended, error);
  fs::rename(place_.directory, ended, error);
  if (error) return Explain(arrow::Status::IOError("can't be removed: ", error.message()));
  fs::remove_all(ended, error);
  close(std::exchange(lock_, -1));
  return arrow::Status::OK();
}

arrow::Status RunState::Explain(const arrow::Status& status) const {
  if (status.ok()) return status;
  return status.WithMessage("`", place_.option, "`: ", place_.output.string(), ": ",
                            status.message());
}

fs::path StateBeside(const fs::path& output) {
  const fs::path named = arrow_io::WithoutTrailingSlash(output);
  return named.parent_path() / ("." + named.filename().string() + ".spuna");
}

std::string DescribeDifference(const json& before, const json& now) {
  auto find = [](const json& object, const std::string& key) -> const json* {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  };
  json keys = now;
  if (before.is_object()) keys.update(before);
  std::string differences;
  for (const auto& [key, unused] : keys.items()) {
    const json* const was = find(before, key);
    const json* const is = find(now, key);
    if (was != nullptr && is != nullptr && *was == *is) continue;
    differences += (differences.empty() ? "" : "; ") + DescribeOption(key, was, is);
  }
  return differences;
}

}  // namespace spuna
