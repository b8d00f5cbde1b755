#include "arrow_io/staged_output.h"

#include <arrow/io/file.h>
#include <unistd.h>

#include <atomic>
#include <system_error>
#include <utility>

namespace spuna::arrow_io {
namespace {

namespace fs = std::filesystem;

arrow::Status PathError(const StagedOutput::Target& target, const std::string& what) {
  return arrow::Status::IOError("`", target.option, "`: ", target.path.string(), ": ", what);
}

fs::path TemporarySibling(const fs::path& path) {
  static std::atomic<int> counter{0};
  return path.parent_path() / ("." + path.filename().string() + ".spuna-" +
                               std::to_string(getpid()) + "-" + std::to_string(counter++) + ".tmp");
}

arrow::Status CheckTarget(const StagedOutput::Target& target) {
  std::error_code error;
  const fs::path parent = target.path.has_parent_path() ? target.path.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, error)) {
    return PathError(target, "the folder " + parent.string() + " does not exist; create it first");
  }
  if (!fs::exists(fs::symlink_status(target.path, error))) return arrow::Status::OK();
  if (!target.overwrite) {
    return PathError(target, "exists already; choose another name or add `--overwrite`");
  }
  const bool is_directory = fs::is_directory(target.path, error);
  if (target.kind == StagedOutput::Kind::kFile) {
    if (fs::is_regular_file(target.path, error)) return arrow::Status::OK();
    return PathError(target, is_directory ? "is a directory, but the output is one file"
                                          : "is not a regular file and will not be replaced");
  }
  if (!is_directory) return PathError(target, "is a file, but the output is a directory");
  if (fs::is_empty(target.path, error) || fs::exists(target.path / kManifestName, error)) {
    return arrow::Status::OK();
  }
  return PathError(target, std::string("is a directory that spuna did not make (it has no ") +
                               kManifestName + ") and will not be replaced");
}

}  // namespace

arrow::Result<StagedOutput> StagedOutput::Create(const Target& named) {
  Target target = named;
  // "out/" and "out" are the same directory.
  if (!target.path.has_filename()) target.path = target.path.parent_path();
  ARROW_RETURN_NOT_OK(CheckTarget(target));
  StagedOutput output;
  output.target_ = target;
  output.temporary_ = TemporarySibling(target.path);
  std::error_code error;
  if (target.kind == Kind::kDirectory) {
    fs::create_directory(output.temporary_, error);
    if (error) {
      output.temporary_.clear();
      return PathError(target, "can't be written: " + error.message());
    }
    return output;
  }
  const auto file = arrow::io::FileOutputStream::Open(output.temporary_.string());
  if (!file.ok()) {
    output.temporary_.clear();
    return PathError(target, "can't be written: " + file.status().message());
  }
  ARROW_RETURN_NOT_OK((*file)->Close());
  return output;
}

StagedOutput::~StagedOutput() { Discard(); }

StagedOutput::StagedOutput(StagedOutput&& other) noexcept
    : target_(std::move(other.target_)), temporary_(std::exchange(other.temporary_, {})) {}

StagedOutput& StagedOutput::operator=(StagedOutput&& other) noexcept {
  if (this != &other) {
    Discard();
    target_ = std::move(other.target_);
    temporary_ = std::exchange(other.temporary_, {});
  }
  return *this;
}

void StagedOutput::Discard() noexcept {
  if (temporary_.empty()) return;
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
  temporary_.clear();
}

arrow::Status StagedOutput::Commit() {
  // Someone else may have made it in the meantime.
  ARROW_RETURN_NOT_OK(CheckTarget(target_));
  std::error_code error;
  fs::path replaced;
  if (target_.kind == Kind::kDirectory && fs::exists(target_.path, error)) {
    // A directory can't be renamed over another that holds files.
    replaced = TemporarySibling(target_.path);
    fs::rename(target_.path, replaced, error);
    if (error) return PathError(target_, "can't be replaced: " + error.message());
  }
  fs::rename(temporary_, target_.path, error);
  if (error) {
    const std::string reason = error.message();
    if (!replaced.empty()) fs::rename(replaced, target_.path, error);
    return PathError(target_, "can't be written: " + reason);
  }
  temporary_.clear();
  if (!replaced.empty()) fs::remove_all(replaced, error);
  return arrow::Status::OK();
}

arrow::Status CheckApartFrom(const fs::path& output, const std::string& option,
                             const std::vector<std::string>& inputs) {
  auto canonical = [](const fs::path& path) {
    std::error_code error;
    fs::path resolved = fs::weakly_canonical(fs::absolute(path), error);
    if (error) resolved = fs::absolute(path).lexically_normal();
    return resolved.has_filename() ? resolved : resolved.parent_path();
  };
  auto lies_within = [](const fs::path& inner, const fs::path& outer) {
    return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first ==
           outer.end();
  };
  const fs::path written = canonical(output);
  for (const std::string& input : inputs) {
    const fs::path read = canonical(input);
    std::error_code error;
    if (written == read || fs::equivalent(written, read, error)) {
      return arrow::Status::IOError("`", option, "`: ", output.string(),
                                    ": the output is one of the inputs; choose another name");
    }
    if (fs::is_directory(read, error) && lies_within(written, read)) {
      return arrow::Status::IOError("`", option, "`: ", output.string(),
                                    ": the output lies within the input ", input,
                                    "; choose a place outside it");
    }
    if (lies_within(read, written)) {
      return arrow::Status::IOError("`", option, "`: ", output.string(), ": the input ", input,
                                    " lies within the output; choose another place");
    }
  }
  return arrow::Status::OK();
}

arrow::Status WriteBytes(const fs::path& path, const std::string& bytes) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::FileOutputStream::Open(path.string()));
  ARROW_RETURN_NOT_OK(file->Write(bytes.data(), static_cast<std::int64_t>(bytes.size())));
  return file->Close();
}

}  // namespace spuna::arrow_io
