#include "arrow_io/staged_output.h"

#include <arrow/io/file.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <sstream>
#include <system_error>
#include <utility>

#include "arrow_io/hash.h"

namespace spuna::arrow_io {
namespace {

namespace fs = std::filesystem;

arrow::Status PathError(const StagedOutput::Target& target, const std::string& what) {
  return arrow::Status::IOError("`", target.option, "`: ", target.path.string(), ": ", what);
}

// What the names of an output's temporary siblings start with.
std::string TemporaryPrefix(const fs::path& path) {
  const std::string name = path.filename().string();
  std::ostringstream prefix;
  prefix << ".spuna-" << std::hex << Hash(name.data(), name.size()) << '-';
  return prefix.str();
}

constexpr const char* kTemporarySuffix = ".tmp";

// A name that no other run has: process numbers repeat in containers and over shared disks.
fs::path TemporarySibling(const fs::path& path) {
  std::random_device random;
  std::ostringstream name;
  name << TemporaryPrefix(path) << std::hex << random() << random() << kTemporarySuffix;
  return path.parent_path() / name.str();
}

// Creates an empty file that was not there before, and locks it. Another run may take it for
// abandoned between the two: then it is made again.
arrow::Result<int> CreateLocked(const fs::path& path) {
  while (true) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return arrow::Status::IOError(std::generic_category().message(errno));
    flock(file, LOCK_EX | LOCK_NB);  // Where a disk knows no locks, nothing is left but to trust.
    struct stat found{};
    if (fstat(file, &found) != 0 || found.st_nlink > 0) return file;
    close(file);
  }
}

// Removes the temporary siblings of an output that no living run has locked.
void RemoveAbandoned(const fs::path& path) {
  const std::string prefix = TemporaryPrefix(path);
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(kTemporarySuffix)) continue;
    const int file = open(it->path().c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    std::error_code ignored;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) fs::remove(it->path(), ignored);
    close(file);
  }
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
  if (fs::is_regular_file(target.path, error)) return arrow::Status::OK();
  return PathError(target, fs::is_directory(target.path, error)
                               ? "is a directory, but the output is one file"
                               : "is not a regular file and will not be replaced");
}

}  // namespace

arrow::Result<StagedOutput> StagedOutput::Create(const Target& named) {
  Target target = named;
  target.path = WithoutTrailingSlash(target.path);
  ARROW_RETURN_NOT_OK(CheckTarget(target));
  StagedOutput output;
  output.target_ = target;
  RemoveAbandoned(target.path);
  const fs::path temporary = TemporarySibling(target.path);
  const arrow::Result<int> lock = CreateLocked(temporary);
  if (!lock.ok()) return PathError(target, "can't be written: " + lock.status().message());
  output.temporary_ = temporary;
  output.lock_ = *lock;
  return output;
}

StagedOutput::~StagedOutput() { Discard(); }

StagedOutput::StagedOutput(StagedOutput&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      lock_(std::exchange(other.lock_, -1)) {}

StagedOutput& StagedOutput::operator=(StagedOutput&& other) noexcept {
  if (this != &other) {
    Discard();
    target_ = std::move(other.target_);
    temporary_ = std::exchange(other.temporary_, {});
    lock_ = std::exchange(other.lock_, -1);
  }
  return *this;
}

void StagedOutput::Discard() noexcept {
  if (!temporary_.empty()) {
    std::error_code ignored;
    fs::remove(temporary_, ignored);
    temporary_.clear();
  }
  if (lock_ >= 0) close(std::exchange(lock_, -1));
}

arrow::Status StagedOutput::Check() const { return CheckTarget(target_); }

arrow::Status StagedOutput::Commit() {
  // Someone else may have made it in the meantime.
  ARROW_RETURN_NOT_OK(Check());
  std::error_code error;
  fs::rename(temporary_, target_.path, error);
  if (error) return PathError(target_, "can't be written: " + error.message());
  temporary_.clear();
  Discard();
  return arrow::Status::OK();
}

fs::path WithoutTrailingSlash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

arrow::Status CheckApart(const fs::path& output, const std::string& option,
                         const std::vector<TakenPath>& taken) {
  auto canonical = [](const fs::path& path) {
    std::error_code error;
    fs::path resolved = fs::weakly_canonical(fs::absolute(path), error);
    if (error) resolved = fs::absolute(path).lexically_normal();
    return WithoutTrailingSlash(resolved);
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
