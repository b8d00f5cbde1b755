#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace spuna::test {

/// A directory that goes away with the object.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// A path inside, as text.
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// Every file and directory inside, hidden ones too, by relative path, sorted.
  std::vector<std::string> List() const;

 private:
  std::filesystem::path path_;
};

/// A whole file.
std::string ReadFile(const std::filesystem::path& path);
void WriteFile(const std::filesystem::path& path, const std::string& bytes);

}  // namespace spuna::test
