#include "arrow_io/lake_tables.h"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "arrow_io/failure.h"

namespace spuna::arrow_io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDeltaLog = "_delta_log";
constexpr const char* kIcebergFolder = "metadata";

LakeTable Delta(const std::string& directory) { return {directory, "Delta", kDeltaLog}; }
LakeTable Iceberg(const std::string& directory, const std::string& file) {
  return {directory, "Iceberg", std::string(kIcebergFolder) + "/" + file};
}

// "v3.metadata.json", "00001-….gz.metadata.json".
bool IsIcebergMetadata(const std::string& name) {
  return name.find(".metadata.json") != std::string::npos;
}

std::optional<LakeTable> TableAt(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder / kDeltaLog, error)) return Delta(folder.string());
  fs::directory_iterator it(folder / kIcebergFolder, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (IsIcebergMetadata(name)) return Iceberg(folder.string(), name);
  }
  return std::nullopt;
}

// The tables of a listing, by their folder below the place; "" is the place itself.
std::map<fs::path, LakeTable> TablesIn(const std::vector<ListedFile>& listed,
                                       const StorePath& place) {
  std::map<fs::path, LakeTable> tables;
  for (const ListedFile& file : listed) {
    const fs::path path(file.relative_path);
    fs::path folder;
    for (auto part = path.begin(); part != path.end(); ++part) {
      const std::string directory = (fs::path(place.path) / folder).string();
      const auto next = std::next(part);
      if (next == path.end()) break;
      if (*part == kDeltaLog) {
        tables.emplace(folder, Delta(directory));
      } else if (*part == kIcebergFolder && std::next(next) == path.end() &&
                 IsIcebergMetadata(next->string())) {
        tables.emplace(folder, Iceberg(directory, next->string()));
      }
      folder /= *part;
    }
  }
  return tables;
}

// Whether a store does not let us see what is there.
bool IsForbidden(const arrow::Status& status) { return KindOf(status) == FailureKind::kNotAllowed; }

arrow::Result<std::optional<LakeTable>> TableAt(const StorePath& folder) {
  auto below = [&](const char* name) {
    StorePath place = folder;
    place.path += std::string("/") + name;
    return place;
  };
  ARROW_ASSIGN_OR_RAISE(const StoreEntry log, LookUp(below(kDeltaLog)));
  if (log.kind == StoreEntry::Kind::kDirectory) return Delta(folder.path);
  ARROW_ASSIGN_OR_RAISE(const StoreEntry metadata, LookUp(below(kIcebergFolder)));
  if (metadata.kind != StoreEntry::Kind::kDirectory) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(const auto listed, ListStore(below(kIcebergFolder), /*recursive=*/false));
  for (const ListedFile& file : listed) {
    if (IsIcebergMetadata(file.relative_path)) return Iceberg(folder.path, file.relative_path);
  }
  return std::nullopt;
}

}  // namespace

std::optional<LakeTable> LakeTables::FindAbove(fs::path folder) {
  // What is above a plain folder has been looked at too.
  while (plain_folders_.insert(folder).second) {
    if (auto table = TableAt(folder)) return table;
    folder = folder.parent_path();
  }
  return std::nullopt;
}

std::optional<LakeTable> LakeTables::FindLocal(const fs::path& directory,
                                               const std::vector<ListedFile>& files) {
  std::set<fs::path> folders;
  for (const ListedFile& file : files) {
    folders.insert((directory / file.relative_path).parent_path());
  }
  for (const fs::path& folder : folders) {
    if (auto table = FindAbove(fs::absolute(folder).lexically_normal())) return table;
    // A link may lead into a table.
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (error) continue;
    if (auto table = FindAbove(real)) return table;
  }
  return std::nullopt;
}

arrow::Result<std::optional<LakeTable>> LakeTables::FindAbove(const StorePath& place) {
  StorePath folder = place;
  for (std::size_t slash = folder.path.rfind('/'); slash != std::string::npos;
       slash = folder.path.rfind('/')) {
    folder.path.resize(slash);
    if (plain_places_.contains(folder.prefix + folder.path)) break;
    auto table = TableAt(folder);
    if (!table.ok() && !IsForbidden(table.status())) return table.status();
    if (table.ok() && table->has_value()) return table;
    plain_places_.insert(folder.prefix + folder.path);
  }
  return std::nullopt;
}

arrow::Result<std::optional<LakeTable>> LakeTables::FindStored(
    const StorePath& place, const std::vector<ListedFile>& listed,
    const std::vector<ListedFile>& files) {
  const auto tables = TablesIn(listed, place);
  for (const ListedFile& file : files) {
    if (tables.empty()) break;
    fs::path folder = fs::path(file.relative_path).parent_path();
    while (true) {
      const auto found = tables.find(folder);
      if (found != tables.end()) return found->second;
      if (folder.empty()) break;
      folder = folder.parent_path();
    }
  }
  return FindAbove(place);
}

}  // namespace spuna::arrow_io
