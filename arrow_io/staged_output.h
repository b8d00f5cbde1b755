#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <string>
#include <vector>

namespace spuna::arrow_io {

/// A file that appears under its name all at once or not at all: it is made as a temporary sibling
/// and renamed when it is complete. What was not committed is removed by the destructor, and what a
/// killed run left of the same output by the next one: a temporary file is locked while its run
/// lives.
class StagedOutput {
 public:
  struct Target {
    std::filesystem::path path;
    /// Whether an existing output may be replaced.
    bool overwrite = false;
    /// The option that named it, for messages.
    std::string option;
  };

  /// Checks the target and reserves the temporary sibling, so that a missing or read-only folder is
  /// found out before any work is done.
  static arrow::Result<StagedOutput> Create(const Target& target);

  StagedOutput() = default;
  ~StagedOutput();
  StagedOutput(StagedOutput&& other) noexcept;
  StagedOutput& operator=(StagedOutput&& other) noexcept;

  /// Where to write.
  const std::filesystem::path& path() const { return temporary_; }

  /// The name it will have, for messages.
  const std::filesystem::path& target() const { return target_.path; }

  /// Whether it could be committed now.
  arrow::Status Check() const;

  /// Gives the output its name.
  arrow::Status Commit();

 private:
  void Discard() noexcept;

  Target target_;
  std::filesystem::path temporary_;
  // Open and locked; -1 when there is no temporary file.
  int lock_ = -1;
};

/// "out/" as "out": the same directory, with a name and a parent.
std::filesystem::path WithoutTrailingSlash(const std::filesystem::path& path);

/// A path that another option has named.
struct TakenPath {
  std::string path;
  std::string option;
};

/// Fails when an output path is, lies within, or holds another path of the command: nothing may be
/// written over what is being read, nor over another output.
arrow::Status CheckApart(const std::filesystem::path& output, const std::string& option,
                         const std::vector<TakenPath>& taken);

/// Writes a whole file at once.
arrow::Status WriteBytes(const std::filesystem::path& path, const std::string& bytes);

}  // namespace spuna::arrow_io
