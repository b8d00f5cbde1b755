#include "arrow_io/directory_listing.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>

#include "arrow_io/failure.h"
#include "arrow_io/glob.h"
#include "arrow_io/input_file.h"

namespace spuna::arrow_io {
namespace {

namespace fs = std::filesystem;

bool IsHidden(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') || name.starts_with('_');
}

bool HasParquetExtension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".parquet" || extension == ".parq" || extension == ".pq";
}

}  // namespace

std::string FileChoice::NoneFound(const std::vector<ListedFile>& listed) const {
  std::string message;
  if (pattern.empty()) {
    message = all_files ? "expected a directory with files but found none"
                        : "expected a directory with .parquet files but found none";
  } else {
    message = all_files ? "no file matches this pattern" : "no .parquet file matches this pattern";
  }
  const std::vector<ListedFile> others = Choose(listed, {pattern, /*all_files=*/true});
  if (others.empty()) return message;
  return message + "; to read files of other names, such as " + others.front().relative_path +
         ", add `--all-files`";
}

arrow::Result<std::vector<ListedFile>> ListDirectory(const fs::path& directory,
                                                     const FileChoice& choice) {
  std::vector<ListedFile> found;
  std::error_code error;
  // Links are followed, but no directory is entered twice: cycles of links would have no end.
  std::set<fs::path> entered = {fs::canonical(directory, error)};
  fs::recursive_directory_iterator it(directory, fs::directory_options::follow_directory_symlink,
                                      error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    const fs::path& path = it->path();
    if (IsHidden(path)) {
      it.disable_recursion_pending();
      continue;
    }
    // A link to nowhere is an error, not a file or a partition less.
    std::error_code path_error;
    const fs::file_status status = fs::status(path, path_error);
    if (path_error) return SystemFailure(path.string(), path_error.value());
    if (fs::is_directory(status)) {
      if (!entered.insert(fs::canonical(path, path_error)).second) {
        return arrow::Status::IOError(path.string(),
                                      ": this link leads to a directory that is read already");
      }
      continue;
    }
    const bool is_meant = choice.all_files || HasParquetExtension(path);
    if (is_meant && !fs::is_regular_file(status)) {
      return arrow::Status::IOError(path.string(), ": expected a file but found something else");
    }
    FileStamp stamp;
    if (is_meant) ARROW_RETURN_NOT_OK(LocalStamp(path.string()).Value(&stamp));
    found.push_back({path.lexically_relative(directory).string(), stamp});
  }
  if (error) return SystemFailure(directory.string(), error.value());
  return found;
}

std::vector<ListedFile> Choose(std::vector<ListedFile> files, const FileChoice& choice) {
  std::erase_if(files, [&](const ListedFile& file) {
    const fs::path path(file.relative_path);
    return std::ranges::any_of(path, IsHidden) ||
           !(choice.all_files || HasParquetExtension(path)) ||
           !(choice.pattern.empty() || MatchesGlob(choice.pattern, file.relative_path));
  });
  std::ranges::sort(files, {}, [](const ListedFile& file) { return fs::path(file.relative_path); });
  return files;
}

}  // namespace spuna::arrow_io
