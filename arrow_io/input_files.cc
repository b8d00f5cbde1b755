#include "arrow_io/input_files.h"

#include <arrow/filesystem/filesystem.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <system_error>

#include "arrow_io/directory_listing.h"
#include "arrow_io/failure.h"
#include "arrow_io/glob.h"
#include "arrow_io/lake_tables.h"
#include "arrow_io/uri.h"

namespace spuna::arrow_io {
namespace {

namespace fs = std::filesystem;

// The keys of a path's folders, outermost first. Of one that comes twice the innermost counts.
std::vector<std::pair<std::string, std::string>> HivePartitions(const fs::path& path) {
  std::vector<std::pair<std::string, std::string>> partitions;
  for (const fs::path& part : path.parent_path()) {
    const std::string name = part.string();
    const std::size_t equals = name.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    const std::string key = DecodePercent(name.substr(0, equals));
    std::erase_if(partitions, [&](const auto& outer) { return outer.first == key; });
    partitions.emplace_back(key, DecodePercent(name.substr(equals + 1)));
  }
  return partitions;
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

// Where a path is below a directory; empty where it is elsewhere.
fs::path PathBelow(const fs::path& directory, const fs::path& path) {
  const fs::path relative = path.lexically_relative(directory);
  return relative == "." || relative.empty() || *relative.begin() == ".." ? fs::path() : relative;
}

// "lake/" and "lake" are the same directory.
fs::path AbsoluteDirectory(const fs::path& directory) {
  const fs::path absolute = fs::absolute(directory).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

// Gathers the files behind path after path.
class Lister {
 public:
  // With one path the input may be a single file.
  Lister(const InputListing& listing, bool is_one_path)
      : listing_(listing), has_directory_(!is_one_path) {}

  arrow::Status Add(const std::string& text) {
    return IsUri(text) ? AddStored(text) : AddLocal(text);
  }

  bool HasFiles() const { return !places_.empty(); }

  arrow::Result<InputFiles> Finish() && {
    if (places_.empty()) return arrow::Status::Invalid("`", listing_.option, "` names no file");
    InputFiles input;
    input.is_single_file = places_.size() == 1 && !has_directory_ && listing_.base.empty();
    const fs::path root = CommonDirectory(roots_);
    std::map<fs::path, std::string> seen;
    for (Place& place : places_) {
      InputFile& file = place.file;
      file.partitions = HivePartitions(place.absolute);
      if (listing_.base.empty()) {
        file.relative_path = place.absolute.lexically_relative(root);
      } else {
        ARROW_ASSIGN_OR_RAISE(file.relative_path, PathBelowBase(place));
      }
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
        return arrow::Status::Invalid("`", listing_.option, "`: ", file.name, " and ",
                                      known->second, " are the same file");
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
    std::string prefix;
  };

  arrow::Result<fs::path> PathBelowBase(const Place& place) const {
    ARROW_ASSIGN_OR_RAISE(const std::string base, LocalPath(listing_.base));
    const bool is_uri = IsUri(base);
    const InputFile& file = place.file;
    fs::path below;
    if (is_uri && file.filesystem != nullptr && base.starts_with(place.prefix)) {
      ARROW_ASSIGN_OR_RAISE(const std::string path, PathInStore(*file.filesystem, base));
      below = PathBelow(TreePath(place.prefix, path).lexically_normal(), place.absolute);
    } else if (!is_uri && file.filesystem == nullptr) {
      below = PathBelow(AbsoluteDirectory(base), place.absolute);
    }
    if (below.empty() && !is_uri && file.filesystem == nullptr) {
      // A link may stand for either of them.
      std::error_code error;
      const fs::path real = fs::canonical(file.name, error);
      below = PathBelow(fs::weakly_canonical(AbsoluteDirectory(base), error), real);
    }
    if (!below.empty()) return below;
    return arrow::Status::Invalid("`", listing_.option, "`: ", file.name,
                                  ": expected a file below `base`, which is ", MaskUri(base),
                                  ", but it lies elsewhere");
  }

  arrow::Status Error(const std::string& text, const std::string& what) const {
    return arrow::Status::IOError("`", listing_.option, "`: ", text, ": ", what);
  }

  // That there is no file at all.
  arrow::Status Nothing(const std::string& text, const std::string& what) const {
    return WithKind(Error(text, what), FailureKind::kNothingToRead);
  }

  arrow::Status Explain(const std::string& text, const arrow::Status& status) const {
    if (status.ok()) return status;
    return status.WithMessage("`", listing_.option, "`: ", text, ": ", status.message());
  }

  arrow::Status RefuseTable(const std::string& prefix, const LakeTable& table) const {
    std::string directory = prefix + table.directory;
    if (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
    return Error(directory,
                 "expected Parquet files but found " +
                     std::string(table.format == "Iceberg" ? "an " : "a ") + table.format +
                     " table (" + table.sign +
                     "): read as files, rows that were deleted from it would come back. Write the "
                     "paths of its live files to a text file, one a line, and use `--" +
                     listing_.option + " @files.txt`; see docs/lake.md");
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
      return AddDirectory(text, text, {"", listing_.all_files});
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
    return AddDirectory(text, base, {glob.pattern, listing_.all_files});
  }

  arrow::Status AddDirectory(const std::string& text, const fs::path& directory,
                             const FileChoice& choice) {
    std::error_code error;
    std::vector<ListedFile> listed;
    if (fs::is_directory(directory, error)) {
      ARROW_ASSIGN_OR_RAISE(listed, ListDirectory(directory, choice));
    }
    const std::vector<ListedFile> found = Choose(listed, choice);
    if (found.empty()) return Nothing(text, choice.NoneFound(listed));
    if (const auto table = tables_.FindLocal(directory, found)) return RefuseTable("", *table);
    has_directory_ = true;
    for (const ListedFile& file : found) {
      Place place;
      place.file.name = (directory / file.relative_path).string();
      place.file.stamp = file.stamp;
      place.absolute = fs::absolute(place.file.name).lexically_normal();
      places_.push_back(std::move(place));
    }
    roots_.push_back(AbsoluteDirectory(directory));
    return arrow::Status::OK();
  }

  arrow::Status AddStored(const std::string& text) {
    // Before the query only '*' and '[' are wildcards.
    const std::size_t question = std::min(text.find('?'), text.size());
    const std::string whole = text.substr(0, question);
    const std::string path = MaskUri(whole);
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
      roots_.push_back(TreePath(place.prefix, place.path).parent_path());
      return arrow::Status::OK();
    }
    if (entry->kind == StoreEntry::Kind::kNothing && !is_glob) {
      return Nothing(path, "no such file or directory");
    }
    const FileChoice choice{glob.pattern, listing_.all_files};
    std::vector<ListedFile> all;
    if (entry->kind == StoreEntry::Kind::kDirectory) {
      arrow::Result<std::vector<ListedFile>> listed = ListStore(place);
      ARROW_RETURN_NOT_OK(Explain(path, listed.status()));
      all = *std::move(listed);
    }
    const std::vector<ListedFile> found = Choose(all, choice);
    if (found.empty()) return Nothing(path, choice.NoneFound(all));
    const auto table = tables_.FindStored(place, all, found);
    ARROW_RETURN_NOT_OK(Explain(path, table.status()));
    if (table->has_value()) return RefuseTable(place.prefix, **table);
    has_directory_ = true;
    for (const ListedFile& listed : found) {
      AddStoredFile(place, place.path + "/" + listed.relative_path, listed.stamp);
    }
    roots_.push_back(TreePath(place.prefix, place.path));
    return arrow::Status::OK();
  }

  static fs::path TreePath(const std::string& prefix, const std::string& path) {
    return fs::path("/" + prefix) / path;
  }

  void AddStoredFile(const StorePath& place, const std::string& path, const FileStamp& stamp) {
    Place added;
    added.file.name = place.prefix + path;
    added.file.stamp = stamp;
    added.file.filesystem = place.filesystem;
    added.file.store_path = path;
    added.prefix = place.prefix;
    added.absolute = TreePath(place.prefix, path).lexically_normal();
    places_.push_back(std::move(added));
  }

  const InputListing& listing_;
  LakeTables tables_;
  std::vector<Place> places_;
  std::vector<fs::path> roots_;
  bool has_directory_;
};

}  // namespace

arrow::Result<std::vector<std::string>> ExpandPaths(const std::vector<std::string>& paths,
                                                    const std::string& option) {
  std::vector<std::string> expanded;
  auto add = [&](const std::string& text) -> arrow::Status {
    arrow::Result<std::string> path = LocalPath(text);
    if (!path.ok()) return path.status().WithMessage("`", option, "`: ", path.status().message());
    expanded.push_back(*std::move(path));
    return arrow::Status::OK();
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (!path.starts_with('@') || fs::exists(path, error)) {
      ARROW_RETURN_NOT_OK(add(path));
      continue;
    }
    auto fails = [&](const std::string& what) {
      return arrow::Status::IOError("`", option, "`: @", MaskUri(path.substr(1)), ": ", what);
    };
    const arrow::Result<std::string> list = LocalPath(path.substr(1));
    if (!list.ok() || !fs::is_regular_file(*list, error)) {
      return fails("expected a text file with one path a line but found none");
    }
    std::ifstream lines(*list);
    const std::size_t before = expanded.size();
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (line.starts_with('@')) return fails("a list of paths can't name another list");
      if (!line.empty()) ARROW_RETURN_NOT_OK(add(line));
    }
    if (lines.bad()) return fails("can't be read");
    if (expanded.size() == before) {
      return WithKind(fails("expected a path in each line but found none"),
                      FailureKind::kNothingToRead);
    }
  }
  return expanded;
}

arrow::Result<InputFiles> ListInputFiles(const InputListing& listing) {
  const std::vector<std::string>& paths = listing.paths;
  ARROW_ASSIGN_OR_RAISE(const auto expanded, ExpandPaths(paths, listing.option));
  // A list of one file is a list still.
  const bool is_one_path = paths.size() == 1 && expanded.size() == 1 && !paths[0].starts_with('@');
  Lister lister(listing, is_one_path);
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
