#include "arrow_io/input_files.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <system_error>

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

// Partition values have '/', '=' and others percent-encoded.
std::string DecodePercent(const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool encoded = text[i] == '%' && i + 2 < text.size() &&
                         std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0 &&
                         std::isxdigit(static_cast<unsigned char>(text[i + 2])) != 0;
    if (encoded) {
      decoded += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

std::vector<std::pair<std::string, std::string>> HivePartitions(const fs::path& relative_path) {
  std::vector<std::pair<std::string, std::string>> partitions;
  for (const fs::path& part : relative_path.parent_path()) {
    const std::string name = part.string();
    const std::size_t equals = name.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    partitions.emplace_back(DecodePercent(name.substr(0, equals)),
                            DecodePercent(name.substr(equals + 1)));
  }
  return partitions;
}

arrow::Result<std::vector<fs::path>> FilesInDirectory(const fs::path& directory) {
  std::vector<fs::path> found;
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
    if (path_error) return arrow::Status::IOError(path.string(), ": ", path_error.message());
    if (fs::is_directory(status)) {
      if (!entered.insert(fs::canonical(path, path_error)).second) {
        return arrow::Status::IOError(path.string(),
                                      ": this link leads to a directory that is read already");
      }
    } else if (HasParquetExtension(path)) {
      if (!fs::is_regular_file(status)) {
        return arrow::Status::IOError(path.string(), ": expected a file but found something else");
      }
      found.push_back(path);
    }
  }
  if (error) return arrow::Status::IOError(directory.string(), ": ", error.message());
  std::ranges::sort(found);
  return found;
}

// The deepest directory that holds all the given ones.
fs::path CommonDirectory(const std::vector<fs::path>& directories) {
  fs::path common = directories.front();
  for (const fs::path& directory : directories) {
    const auto [end, unused] =
        std::mismatch(common.begin(), common.end(), directory.begin(), directory.end());
    fs::path shared;
    for (auto it = common.begin(); it != end; ++it) shared /= *it;
    common = shared;
  }
  return common;
}

}  // namespace

arrow::Result<InputFiles> ListInputFiles(const std::vector<std::string>& paths,
                                         const std::string& option) {
  if (paths.empty()) return arrow::Status::Invalid("`", option, "` names no file");
  InputFiles input;
  std::vector<fs::path> roots;
  for (const std::string& text : paths) {
    const fs::path path(text);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      return arrow::Status::IOError("`", option, "`: ", text, ": ",
                                    error ? error.message() : "no such file or directory");
    }
    // Opening a pipe would wait for its writer, and Parquet can't be read from one.
    if (!fs::is_directory(status) && !fs::is_regular_file(status)) {
      return arrow::Status::IOError("`", option, "`: ", text,
                                    ": expected a file or a directory but found something else");
    }
    const fs::path absolute = fs::absolute(path).lexically_normal();
    if (fs::is_directory(status)) {
      ARROW_ASSIGN_OR_RAISE(const std::vector<fs::path> found, FilesInDirectory(path));
      if (found.empty()) {
        return arrow::Status::IOError("`", option, "`: ", text,
                                      ": expected a directory with .parquet files but found none");
      }
      for (const fs::path& file : found) input.files.push_back({file, {}, {}});
      // "lake/" and "lake" are the same directory.
      roots.push_back(absolute.has_filename() ? absolute : absolute.parent_path());
    } else {
      input.files.push_back({path, {}, {}});
      roots.push_back(absolute.parent_path());
    }
  }
  input.is_single_file =
      paths.size() == 1 && input.files.size() == 1 && !fs::is_directory(paths[0]);

  const fs::path root = CommonDirectory(roots);
  std::map<fs::path, fs::path> seen;
  for (InputFile& file : input.files) {
    file.relative_path = fs::absolute(file.path).lexically_normal().lexically_relative(root);
    file.partitions = HivePartitions(file.relative_path);
    // The same file under two names, through links or a cycle of them, would count its rows twice.
    std::error_code error;
    const auto [known, is_new] = seen.emplace(fs::canonical(file.path, error), file.path);
    if (error) return arrow::Status::IOError(file.path.string(), ": ", error.message());
    if (!is_new) {
      return arrow::Status::Invalid("`", option, "`: ", file.path.string(), " and ",
                                    known->second.string(), " are the same file");
    }
  }
  return input;
}

}  // namespace spuna::arrow_io
