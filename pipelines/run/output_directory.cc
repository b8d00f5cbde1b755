#include "pipelines/run/output_directory.h"

#include <fstream>
#include <system_error>
#include <utility>

#include "arrow_io/staged_output.h"
#include "pipelines/options/json_text.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kManifest = "spuna_manifest.json";
constexpr const char* kSuccess = "_SUCCESS";
constexpr const char* kState = ".spuna";
constexpr const char* kBegun = "begun";

}  // namespace

arrow::Result<OutputDirectory> OutputDirectory::Open(const Target& named, const json& configuration,
                                                     bool reopens) {
  Target target = named;
  target.path = arrow_io::WithoutTrailingSlash(target.path);
  OutputDirectory directory(target);
  ARROW_RETURN_NOT_OK(directory.Inspect(configuration));
  if (directory.finished_ && !reopens) return directory;
  ARROW_ASSIGN_OR_RAISE(RunState state,
                        RunState::Open({target.path / kState, target.path, target.option},
                                       configuration, target.overwrite));
  directory.state_ = std::make_unique<RunState>(std::move(state));
  if (!directory.finished_) return directory;
  // Its files stay; only what says that it is finished goes.
  directory.finished_.reset();
  ARROW_RETURN_NOT_OK(directory.state_->Record(kBegun, true));
  std::error_code error;
  for (const char* name : {kSuccess, kManifest}) fs::remove(target.path / name, error);
  return directory;
}

OutputDirectory::OutputDirectory(OutputDirectory&& other) noexcept
    : target_(std::move(other.target_)),
      finished_(std::move(other.finished_)),
      state_(std::move(other.state_)),
      is_new_(std::exchange(other.is_new_, false)) {}

OutputDirectory::~OutputDirectory() {
  if (!is_new_ || !state_) return;
  // A directory that was made for nothing goes again.
  state_.reset();
  std::error_code ignored;
  fs::remove(target_.path, ignored);
}

arrow::Status OutputDirectory::Error(const std::string& what) const {
  return arrow::Status::IOError("`", target_.option, "`: ", target_.path.string(), ": ", what);
}

arrow::Status OutputDirectory::Inspect(const json& configuration) {
  const fs::path& path = target_.path;
  std::error_code error;
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, error)) {
    return Error("the folder " + parent.string() + " does not exist; create it first");
  }
  if (!fs::exists(fs::symlink_status(path, error))) {
    if (!fs::create_directory(path, error)) return Error("can't be written: " + error.message());
    is_new_ = true;
    return arrow::Status::OK();
  }
  if (!fs::is_directory(path, error)) return Error("is a file, but the output is a directory");
  const bool is_empty = fs::is_empty(path, error);
  if (error) return Error("can't be read: " + error.message());
  if (is_empty || fs::is_directory(path / kState, error)) return arrow::Status::OK();
  std::ifstream file(path / kManifest);
  if (!file) {
    return Error(std::string("is a directory that spuna did not make (it has no ") + kManifest +
                 ") and will not be touched; choose another name");
  }
  json manifest = json::parse(file, nullptr, /*allow_exceptions=*/false);
  const std::string difference = manifest.is_object() && manifest.contains("configuration")
                                     ? DescribeDifference(manifest["configuration"], configuration)
                                     : "its manifest can't be read";
  if (target_.overwrite) return arrow::Status::OK();
  if (!difference.empty()) {
    return Error("holds the output of another configuration: " + difference +
                 "; choose another name or add `--overwrite`");
  }
  // The run may have been stopped just before its last words.
  fs::remove_all(path / (std::string(kState) + "-ended"), error);
  if (!fs::exists(path / kSuccess, error)) {
    ARROW_RETURN_NOT_OK(arrow_io::WriteBytes(path / kSuccess, ""));
  }
  finished_ = std::move(manifest);
  return arrow::Status::OK();
}

arrow::Status OutputDirectory::Begin() {
  if (state_->Find(kBegun) != nullptr) return arrow::Status::OK();
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(target_.path)) {
    if (entry.path().filename() == kState) continue;
    if (!target_.overwrite) {
      return Error("holds " + entry.path().filename().string() +
                   ", which is none of this run's; move it away or add `--overwrite`");
    }
    fs::remove_all(entry.path(), error);
    if (error) return Error("can't be replaced: " + error.message());
  }
  return state_->Record(kBegun, true);
}

arrow::Status OutputDirectory::Commit(const fs::path& relative_path) const {
  const fs::path path = target_.path / relative_path;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (!error) fs::rename(Staging(), path, error);
  if (!error) return arrow::Status::OK();
  return arrow::Status::IOError(path.string(), " can't be written: ", error.message());
}

bool OutputDirectory::Holds(const fs::path& relative_path, std::int64_t num_bytes) const {
  std::error_code error;
  const fs::path path = target_.path / relative_path;
  return fs::is_regular_file(path, error) &&
         fs::file_size(path, error) == static_cast<std::uintmax_t>(num_bytes) && !error;
}

arrow::Status OutputDirectory::Finish(const json& manifest) {
  ARROW_RETURN_NOT_OK(state_->Save(kManifest, DumpJson(manifest, 2) + "\n"));
  std::error_code error;
  fs::rename(state_->PathOf(kManifest), target_.path / kManifest, error);
  if (error) return Error("can't be written: " + error.message());
  ARROW_RETURN_NOT_OK(state_->Remove());
  state_.reset();
  const arrow::Status written = arrow_io::WriteBytes(target_.path / kSuccess, "");
  return written.ok() ? written : Error("can't be written: " + written.message());
}

}  // namespace spuna
