#include "pipelines/run/output_directory.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <system_error>
#include <utility>

#include "arrow_io/staged_output.h"
#include "arrow_io/swapped_directory.h"
#include "pipelines/options/json_text.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using arrow_io::kSuccess;
using nlohmann::json;

// What releases before this one left in an output directory.
constexpr const char* kFormerManifest = "spuna_manifest.json";

constexpr const char* kWithin = ".spuna";
constexpr const char* kBegun = "begun";
constexpr const char* kData = "data";
// Within the state: an output that is being made to replace this one, and one that is whole.
constexpr const char* kRefit = "refit";
constexpr const char* kSwap = "swap";

bool IsMountPoint(const fs::path& directory) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx found{};
  if (statx(AT_FDCWD, directory.c_str(), 0, STATX_BASIC_STATS, &found) == 0 &&
      (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) {
    return true;
  }
#endif
  struct stat here{};
  struct stat above{};
  return stat(directory.c_str(), &here) == 0 && stat((directory / "..").c_str(), &above) == 0 &&
         here.st_dev != above.st_dev;
}

// None where there is none. One that can't be read is an error: without it a finished output would
// be taken for one that has only begun.
arrow::Result<std::optional<json>> ReadManifest(const RunState& state) {
  std::error_code error;
  const fs::path path = state.PathOf(RunState::kManifest);
  if (fs::status(path, error).type() == fs::file_type::not_found) return std::nullopt;
  const std::optional<std::string> text = state.Load(RunState::kManifest);
  json manifest = text ? json::parse(*text, nullptr, /*allow_exceptions=*/false) : json();
  if (!manifest.is_object()) {
    return arrow::Status::IOError(path.string(), " can't be read or is damaged");
  }
  return std::optional<json>(std::move(manifest));
}

// The directory behind links and dots: what lies beside it must lie beside the data.
fs::path Resolved(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path);
  const fs::path real = fs::weakly_canonical(absolute, error);
  return arrow_io::WithoutTrailingSlash(error ? absolute.lexically_normal() : real);
}

}  // namespace

fs::path StateOf(const fs::path& directory) {
  const fs::path real = Resolved(directory);
  return IsMountPoint(real) ? real / kWithin : StateBeside(real);
}

arrow::Result<OutputDirectory> OutputDirectory::Open(const Target& named,
                                                     const json& configuration) {
  OutputDirectory directory(named);
  ARROW_RETURN_NOT_OK(directory.Inspect());
  const RunState::Place place{StateOf(named.path), directory.target_.path, named.option,
                              named.remedy};
  ARROW_ASSIGN_OR_RAISE(RunState held, RunState::Hold(place));
  directory.held_ = std::make_unique<RunState>(std::move(held));
  ARROW_ASSIGN_OR_RAISE(const bool swapped, directory.EndSwap());
  std::error_code error;
  const bool is_finished = fs::exists(place.directory / RunState::kManifest, error) ||
                           fs::exists(directory.data_ / kFormerManifest, error);
  // What was killed just before its end is finished now, and not to be replaced again.
  const bool is_just_done = swapped && RunState::Check(place, configuration).ok();
  if (!named.overwrite || !is_finished || is_just_done) {
    directory.state_ = std::move(directory.held_);
    ARROW_RETURN_NOT_OK(directory.state_->Resume(configuration, named.overwrite));
    ARROW_ASSIGN_OR_RAISE(directory.manifest_, ReadManifest(*directory.state_));
    return directory;
  }
  RunState::Place within = place;
  within.directory = place.directory / kRefit;
  ARROW_ASSIGN_OR_RAISE(RunState state, RunState::Open(within, configuration, /*overwrite=*/true));
  directory.state_ = std::make_unique<RunState>(std::move(state));
  directory.data_ = within.directory / kData;
  fs::create_directory(directory.data_, error);
  if (error) return directory.Error("can't be written: " + error.message());
  return directory;
}

OutputDirectory::OutputDirectory(Target target)
    : target_(std::move(target)), data_(Resolved(target_.path)) {
  target_.path = arrow_io::WithoutTrailingSlash(target_.path);
}

OutputDirectory::OutputDirectory(OutputDirectory&& other) noexcept
    : target_(std::move(other.target_)),
      data_(std::move(other.data_)),
      manifest_(std::move(other.manifest_)),
      held_(std::move(other.held_)),
      state_(std::move(other.state_)),
      is_new_(std::exchange(other.is_new_, false)) {}

OutputDirectory::~OutputDirectory() {
  // A directory that was made for nothing goes again; with it a later run would lose its state.
  if (!is_new_ || !state_ || !state_->IsFresh()) return;
  state_.reset();
  std::error_code ignored;
  fs::remove(data_, ignored);
}

arrow::Status OutputDirectory::Error(const std::string& what) const {
  return arrow::Status::IOError("`", target_.option, "`: ", target_.path.string(), ": ", what);
}

arrow::Status OutputDirectory::Inspect() {
  const fs::path& path = data_;
  std::error_code error;
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, error)) {
    return Error("the folder " + parent.string() + " does not exist; create it first");
  }
  const fs::path state = StateOf(path);
  if (!fs::exists(fs::symlink_status(path, error))) {
    // Whoever removes an output wants a new one: nothing of the old state is used. What was killed
    // while it took the place of another is whole.
    if (!fs::exists(state / kSwap, error) && fs::exists(state, error)) {
      ARROW_ASSIGN_OR_RAISE(RunState old,
                            RunState::Hold({state, path, target_.option, target_.remedy}));
      ARROW_RETURN_NOT_OK(old.Remove());
    }
    is_new_ = fs::create_directory(path, error);
    if (error) return Error("can't be written: " + error.message());
    return arrow::Status::OK();
  }
  if (!fs::is_directory(path, error)) return Error("is a file, but the output is a directory");
  const bool is_empty = fs::is_empty(path, error);
  if (error) return Error("can't be read: " + error.message());
  if (is_empty || fs::is_directory(state, error)) return arrow::Status::OK();
  const bool is_former =
      fs::exists(path / kFormerManifest, error) || fs::is_directory(path / kWithin, error);
  if (!is_former) {
    return Error("is a directory that spuna did not make (there is no " + state.string() +
                 ") and will not be touched; choose another name. If it was moved here, move that "
                 "folder along, under the new name");
  }
  if (target_.overwrite) return arrow::Status::OK();
  return Error(
      "was written by an older release of spuna, which kept neither model nor file times; "
      "choose another name or add `" +
      target_.remedy + "`");
}

arrow::Result<bool> OutputDirectory::EndSwap() {
  const fs::path swap = held_->PathOf(kSwap);
  std::error_code error;
  if (!fs::exists(swap, error)) return false;
  ARROW_RETURN_NOT_OK(arrow_io::SwapDirectory(swap, Resolved(target_.path), kWithin));
  // A kill may come between two names: what has its name already is left alone.
  ARROW_RETURN_NOT_OK(held_->Settle({kSwap, RunState::kManifest, kModel}));
  for (const char* name : {kModel, RunState::kConfiguration, RunState::kManifest}) {
    if (!fs::exists(swap / name, error)) continue;
    fs::rename(swap / name, held_->PathOf(name), error);
    if (error) return Error("can't be written: " + error.message());
  }
  fs::remove_all(swap, error);
  if (error) return Error("can't be replaced: " + error.message());
  return true;
}

bool OutputDirectory::IsIdle() const { return state_->Find(kBegun) == nullptr; }

bool OutputDirectory::HasSuccess() const {
  std::error_code error;
  return fs::exists(data_ / kSuccess, error);
}

arrow::Status OutputDirectory::Begin() {
  std::error_code error;
  fs::remove(data_ / kSuccess, error);
  if (error) return Error("can't be written: " + error.message());
  if (!IsIdle()) return arrow::Status::OK();
  // From here on the manifest is not to be taken at its word.
  if (manifest_) return state_->Record(kBegun, true);
  const fs::path state = state_->PathOf("").parent_path();
  for (const fs::directory_entry& entry : fs::directory_iterator(data_)) {
    if (entry.path() == state) continue;
    if (!target_.overwrite) {
      return Error("holds " + entry.path().filename().string() +
                   ", which is none of this run's; move it away or add `" + target_.remedy + "`");
    }
    fs::remove_all(entry.path(), error);
    if (error) return Error("can't be replaced: " + error.message());
  }
  return state_->Record(kBegun, true);
}

arrow::Status OutputDirectory::Commit(const fs::path& relative_path) const {
  const fs::path path = data_ / relative_path;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (!error) fs::rename(Staging(), path, error);
  if (!error) return arrow::Status::OK();
  return arrow::Status::IOError(path.string(), " can't be written: ", error.message());
}

arrow::Status OutputDirectory::Remove(const fs::path& relative_path) const {
  const fs::path path = data_ / relative_path;
  std::error_code error;
  fs::remove(path, error);
  if (error) return arrow::Status::IOError(path.string(), " can't be removed: ", error.message());
  for (fs::path folder = relative_path.parent_path(); !folder.empty();
       folder = folder.parent_path()) {
    // Fails where something is left in it.
    if (!fs::remove(data_ / folder, error)) break;
  }
  return arrow::Status::OK();
}

arrow::Status OutputDirectory::Unmark() const {
  std::error_code error;
  fs::remove(Resolved(target_.path) / kSuccess, error);
  return error ? Error("can't be written: " + error.message()) : arrow::Status::OK();
}

arrow::Status OutputDirectory::MarkSuccess() const {
  const arrow::Status written = arrow_io::WriteBytes(data_ / kSuccess, "");
  return written.ok() ? written : Error("can't be written: " + written.message());
}

arrow::Status OutputDirectory::Finish(const json& manifest) {
  ARROW_RETURN_NOT_OK(state_->Save(RunState::kManifest, DumpJson(manifest, 2) + "\n"));
  ARROW_RETURN_NOT_OK(state_->Settle({RunState::kManifest, kModel, held_ ? kData : kRefit}));
  ARROW_RETURN_NOT_OK(MarkSuccess());
  is_new_ = false;
  if (!held_) return arrow::Status::OK();
  const arrow::Status marked = arrow_io::MarkAsNew(data_);
  if (!marked.ok()) return Error("can't be written: " + marked.message());
  std::error_code error;
  fs::rename(held_->PathOf(kRefit), held_->PathOf(kSwap), error);
  if (error) return Error("can't be written: " + error.message());
  data_ = Resolved(target_.path);
  return EndSwap().status();
}

}  // namespace spuna
