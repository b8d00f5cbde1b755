#include "arrow_io/staged_output.h"

#include <arrow/io/file.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <sstream>
#include <system_error>
#include <utility>

namespace spuna::arrow_io {
namespace {

namespace fs = std::filesystem;

arrow::Status PathError(const StagedOutput::Target& target, const std::string& what) {
  return arrow::Status::IOError("`", target.option, "`: ", target.path.string(), ": ", what);
}

// A name that no other run has: process numbers repeat in containers and over shared disks.
fs::path TemporarySibling(const fs::path& path) {
  std::random_device random;
  std::ostringstream name;
  name << ".spuna-" << std::hex << random() << random() << ".tmp";
  return path.parent_path() / name.str();
}

// Creates an empty file that was not there before.
std::error_code CreateFile(const fs::path& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return {errno, std::generic_category()};
  close(file);
  return {};
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
  if (target.kind == Kind::kFile) {
    error = CreateFile(output.temporary_);
  } else if (!fs::create_directory(output.temporary_, error) && !error) {
    error = std::make_error_code(std::errc::file_exists);
  }
  if (error) {
    output.temporary_.clear();
    return PathError(target, "can't be written: " + error.message());
  }
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

arrow::Status StagedOutput::Check() const { return CheckTarget(target_); }

arrow::Status StagedOutput::Commit() {
  // Someone else may have made it in the meantime.
  ARROW_RETURN_NOT_OK(Check());
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

arrow::Status CheckApart(const fs::path& output, const std::string& option,
                         const std::vector<TakenPath>& taken) {
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
  auto fails = [&](const std::string& what) {
    return arrow::Status::IOError("`", option, "`: ", output.string(), ": ", what);
  };
  const fs::path written = canonical(output);
  for (const TakenPath& other : taken) {
    const fs::path path = canonical(other.path);
    const std::string name = "what `" + other.option + "` names";
    std::error_code error;
    if (written == path || fs::equivalent(written, path, error)) {
      return fails("this is " + name + " too; choose another name");
    }
    if (lies_within(written, path) && fs::is_directory(path, error)) {
      return fails("this lies within " + name + "; choose a place outside it");
    }
    if (lies_within(path, written)) {
      return fails(name + " lies within this; choose another place");
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
