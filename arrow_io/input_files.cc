#include "arrow_io/input_files.h"

#include <arrow/filesystem/filesystem.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <system_error>

#include "arrow_io/failure.h"
#include "arrow_io/glob.h"

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

// The files below a directory of this machine.
arrow::Result<std::vector<ListedFile>> ListDirectory(const fs::path& directory) {
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
      ARROW_ASSIGN_OR_RAISE(const FileStamp stamp, LocalStamp(path.string()));
      found.push_back({path.lexically_relative(directory).string(), stamp});
    }
  }
  if (error) return SystemFailure(directory.string(), error.value());
  return found;
}

// The Parquet files of a listing that match a pattern, in the order of their paths. An empty
// pattern matches all.
std::vector<ListedFile> Choose(std::vector<ListedFile> files, const std::string& pattern) {
  std::erase_if(files, [&](const ListedFile& file) {
    const fs::path path(file.relative_path);
    return std::ranges::any_of(path, IsHidden) || !HasParquetExtension(path) ||
           !(pattern.empty() || MatchesGlob(pattern, file.relative_path));
  });
  std::ranges::sort(files, {}, [](const ListedFile& file) { return fs::path(file.relative_path); });
  return files;
}

// A URI as messages show it: without "key:secret@" before the bucket.
std::string WithoutCredentials(const std::string& uri) {
  const std::size_t begin = uri.find("://") + 3;
  const std::size_t end = std::min(uri.find('/', begin), uri.size());
  const std::string authority = uri.substr(begin, end - begin);
  const std::size_t at = authority.rfind('@');
  if (at == std::string::npos || authority.find(':') > at) return uri;
  return uri.substr(0, begin) + authority.substr(at + 1) + uri.substr(end);
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

// Gathers the files behind path after path.
class Lister {
 public:
  // With one path the input may be a single file.
  Lister(const std::string& option, bool is_one_path)
      : option_(option), has_directory_(!is_one_path) {}

  arrow::Status Add(const std::string& text) {
    return IsUri(text) ? AddStored(text) : AddLocal(text);
  }

  bool HasFiles() const { return !places_.empty(); }

  arrow::Result<InputFiles> Finish() && {
    if (places_.empty()) return arrow::Status::Invalid("`", option_, "` names no file");
    InputFiles input;
    input.is_single_file = places_.size() == 1 && !has_directory_;
    const fs::path root = CommonDirectory(roots_);
    std::map<fs::path, std::string> seen;
    for (Place& place : places_) {
      InputFile& file = place.file;
      file.relative_path = place.absolute.lexically_relative(root);
      file.partitions = HivePartitions(file.relative_path);
      // The same file under two names, through links or a cycle of them, would count its rows
      // twice.
      fs::path identity = place.absolute;
      if (file.filesystem == nullptr) {
        std::error_code error;
        identity = fs::canonical(file.name, error);
        if (error) return SystemFailure(file.name, error.value());
      }
      const auto [known, is_new] = seen.emplace(identity, file.name);
      if (!is_new) {
        return arrow::Status::Invalid("`", option_, "`: ", file.name, " and ", known->second,
                                      " are the same file");
      }
      input.files.push_back(std::move(file));
    }
    return input;
  }

 private:
  // A file and its place in one tree of all files: a path from "/", for a store with the scheme as
  // the first folder.
  struct Place {
    InputFile file;
    fs::path absolute;
  };

  arrow::Status Error(const std::string& text, const std::string& what) const {
    return arrow::Status::IOError("`", option_, "`: ", text, ": ", what);
  }

  // That there is no file at all.
  arrow::Status Nothing(const std::string& text, const std::string& what) const {
    return WithKind(Error(text, what), FailureKind::kNothingToRead);
  }

  arrow::Status Explain(const std::string& text, const arrow::Status& status) const {
    return status.ok() ? status
                       : status.WithMessage("`", option_, "`: ", text, ": ", status.message());
  }

  arrow::Status AddLocal(const std::string& text) {
    std::error_code error;
    const fs::file_status status = fs::status(text, error);
    if (!fs::exists(status)) {
      if (HasWildcard(text) && (!error || status.type() == fs::file_type::not_found)) {
        return AddLocalGlob(text);
      }
      if (status.type() == fs::file_type::not_found) {
        return Nothing(text, error ? error.message() : "no such file or directory");
      }
      return WithKind(Error(text, error.message()), KindOfErrno(error.value()));
    }
    // Opening a pipe would wait for its writer, and Parquet can't be read from one.
    if (!fs::is_directory(status) && !fs::is_regular_file(status)) {
      return Error(text, "expected a file or a directory but found something else");
    }
    const fs::path absolute = fs::absolute(text).lexically_normal();
    if (fs::is_directory(status)) {
      ARROW_ASSIGN_OR_RAISE(auto found, ListDirectory(text));
      found = Choose(std::move(found), "");
      if (found.empty()) {
        return Nothing(text, "expected a directory with .parquet files but found none");
      }
      return AddFound(text, found);
    }
    Place place;
    place.file.name = text;
    ARROW_ASSIGN_OR_RAISE(place.file.stamp, LocalStamp(text));
    place.absolute = absolute;
    places_.push_back(std::move(place));
    roots_.push_back(absolute.parent_path());
    return arrow::Status::OK();
  }

  arrow::Status AddLocalGlob(const std::string& text) {
    const Glob glob = SplitGlob(text);
    const std::string base = glob.base.empty() ? "." : glob.base;
    std::error_code error;
    std::vector<ListedFile> found;
    if (fs::is_directory(base, error)) {
      ARROW_ASSIGN_OR_RAISE(found, ListDirectory(base));
      found = Choose(std::move(found), glob.pattern);
    }
    if (found.empty()) return Nothing(text, "no .parquet file matches this pattern");
    return AddFound(base, found);
  }

  arrow::Status AddFound(const fs::path& directory, const std::vector<ListedFile>& found) {
    has_directory_ = true;
    const fs::path absolute = fs::absolute(directory).lexically_normal();
    for (const ListedFile& listed : found) {
      Place place;
      place.file.name = (directory / listed.relative_path).string();
      place.file.stamp = listed.stamp;
      place.absolute = fs::absolute(place.file.name).lexically_normal();
      places_.push_back(std::move(place));
    }
    // "lake/" and "lake" are the same directory.
    roots_.push_back(absolute.has_filename() ? absolute : absolute.parent_path());
    return arrow::Status::OK();
  }

  arrow::Status AddStored(const std::string& text) {
    // Before the query only '*' and '[' are wildcards.
    const std::size_t question = std::min(text.find('?'), text.size());
    const std::string whole = text.substr(0, question);
    const std::string path = WithoutCredentials(whole);
    const bool is_glob = HasWildcard(whole);
    const Glob glob = is_glob ? SplitGlob(whole) : Glob{whole, ""};
    if (!IsUri(glob.base)) {
      return Error(path, "expected the name of a bucket before the first wildcard");
    }
    arrow::Result<StorePath> opened = OpenStore(glob.base + text.substr(question));
    ARROW_RETURN_NOT_OK(Explain(path, opened.status()));
    const StorePath& place = *opened;
    arrow::Result<StoreEntry> entry = LookUp(place);
    ARROW_RETURN_NOT_OK(Explain(path, entry.status()));
    if (entry->kind == StoreEntry::Kind::kFile && !is_glob) {
      AddStoredFile(place, place.path, entry->stamp);
      roots_.push_back(TreePath(place, place.path).parent_path());
      return arrow::Status::OK();
    }
    if (entry->kind == StoreEntry::Kind::kNothing && !is_glob) {
      return Nothing(path, "no such file or directory");
    }
    std::vector<ListedFile> found;
    if (entry->kind == StoreEntry::Kind::kDirectory) {
      arrow::Result<std::vector<ListedFile>> listed = ListStore(place);
      ARROW_RETURN_NOT_OK(Explain(path, listed.status()));
      found = Choose(*std::move(listed), glob.pattern);
    }
    if (found.empty()) {
      return Nothing(path, is_glob ? "no .parquet file matches this pattern"
                                   : "expected a directory with .parquet files but found none");
    }
    has_directory_ = true;
    for (const ListedFile& listed : found) {
      AddStoredFile(place, place.path + "/" + listed.relative_path, listed.stamp);
    }
    roots_.push_back(TreePath(place, place.path));
    return arrow::Status::OK();
  }

  static fs::path TreePath(const StorePath& place, const std::string& path) {
    return fs::path("/" + place.prefix) / path;
  }

  void AddStoredFile(const StorePath& place, const std::string& path, const FileStamp& stamp) {
    Place added;
    added.file.name = place.prefix + path;
    added.file.stamp = stamp;
    added.file.filesystem = place.filesystem;
    added.file.store_path = path;
    added.absolute = TreePath(place, path).lexically_normal();
    places_.push_back(std::move(added));
  }

  const std::string& option_;
  std::vector<Place> places_;
  std::vector<fs::path> roots_;
  bool has_directory_;
};

}  // namespace

arrow::Result<std::vector<std::string>> ExpandPaths(const std::vector<std::string>& paths,
                                                    const std::string& option) {
  std::vector<std::string> expanded;
  auto add = [&](const std::string& path) {
    const bool is_file_uri = path.starts_with("file://");
    expanded.push_back(is_file_uri ? DecodePercent(path.substr(7)) : path);
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (!path.starts_with('@') || fs::exists(path, error)) {
      add(path);
      continue;
    }
    auto fails = [&](const std::string& what) {
      return arrow::Status::IOError("`", option, "`: ", path, ": ", what);
    };
    if (!fs::is_regular_file(path.substr(1), error)) {
      return fails("expected a text file with one path a line but found none");
    }
    std::ifstream lines(path.substr(1));
    const std::size_t before = expanded.size();
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (line.starts_with('@')) return fails("a list of paths can't name another list");
      if (!line.empty()) add(line);
    }
    if (lines.bad()) return fails("can't be read");
    if (expanded.size() == before) {
      return WithKind(fails("expected a path in each line but found none"),
                      FailureKind::kNothingToRead);
    }
  }
  return expanded;
}

arrow::Result<InputFiles> ListInputFiles(const std::vector<std::string>& paths,
                                         const std::string& option) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> expanded, ExpandPaths(paths, option));
  // A list of one file is a list still.
  const bool is_one_path = paths.size() == 1 && expanded.size() == 1 && !paths[0].starts_with('@');
  Lister lister(option, is_one_path);
  arrow::Status nothing;
  for (const std::string& path : expanded) {
    const arrow::Status added = lister.Add(path);
    if (KindOf(added) != FailureKind::kNothingToRead) ARROW_RETURN_NOT_OK(added);
    if (nothing.ok()) nothing = added;
  }
  // Where other paths have files, one without is a mistake.
  if (!nothing.ok() && lister.HasFiles()) return arrow::Status::IOError(nothing.message());
  ARROW_RETURN_NOT_OK(nothing);
  return std::move(lister).Finish();
}

}  // namespace spuna::arrow_io
