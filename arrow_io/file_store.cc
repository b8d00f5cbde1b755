#include "arrow_io/file_store.h"

#include <arrow/config.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/filesystem/s3fs.h>
#include <dlfcn.h>

#include <algorithm>
#include <any>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "arrow_io/failure.h"
#include "arrow_io/uri.h"

namespace spuna::arrow_io {
namespace {

// Requests are repeated for about half a minute: a server that comes back within that time goes
// unnoticed, one that does not is an error and no endless wait.
class PatientRetries : public arrow::fs::S3RetryStrategy {
 public:
  bool ShouldRetry(const AWSErrorDetail& error, std::int64_t attempted) override {
    return error.should_retry && attempted < max_retries_;
  }

  std::int64_t CalculateDelayBeforeNextRetry(const AWSErrorDetail& /*error*/,
                                             std::int64_t attempted) override {
    return std::min<std::int64_t>(std::int64_t{100} << std::min<std::int64_t>(attempted, 10),
                                  kMaxDelayMilliseconds);
  }

 private:
  static std::int64_t MaxRetries() {
    const char* const set = std::getenv("SPUNA_STORE_RETRIES");
    std::int64_t retries = 9;
    if (set != nullptr) std::from_chars(set, set + std::strlen(set), retries);
    return std::max<std::int64_t>(retries, 0);
  }

  static constexpr std::int64_t kMaxDelayMilliseconds = 6'000;
  const std::int64_t max_retries_ = MaxRetries();
};

// Arrow keeps its S3 client in a library of its own beside libarrow. It is loaded when the first
// URI asks for it: most runs need none of its 17 MB.
arrow::Status LoadS3() {
  static std::once_flag once;
  static arrow::Status loaded;
  std::call_once(once, [] {
    Dl_info arrow_library{};
    const void* const symbol = reinterpret_cast<const void*>(&arrow::GetBuildInfo);
    if (dladdr(symbol, &arrow_library) == 0 || arrow_library.dli_fname == nullptr) {
      loaded = arrow::Status::IOError("the place of libarrow is not known");
      return;
    }
    const std::filesystem::path path(arrow_library.dli_fname);
    std::string name = path.filename().string();
    const std::size_t at = name.find("arrow");
    if (at != std::string::npos) name.insert(at + 5, "_s3");
    loaded = arrow::fs::LoadFileSystemFactories((path.parent_path() / name).c_str());
  });
  if (loaded.ok()) return loaded;
  return loaded.WithMessage("this build of spuna can't reach S3: ", loaded.message());
}

// The stores that are open, by what stands around the path of their URIs.
struct Stores {
  std::mutex mutex;
  std::map<std::string, StorePath> by_uri;
};

// Never destroyed: threads may still read while the process ends.
Stores& OpenStores() {
  static auto* const stores = new Stores();
  return *stores;
}

// The S3 client's threads must end before the process does. Registered on every way out of the
// making of a store, since the client of S3 starts before it reads the URI; and not before it,
// since what is registered last runs first.
struct CloseStoresAtExit {
  CloseStoresAtExit() = default;
  CloseStoresAtExit(const CloseStoresAtExit&) = delete;
  CloseStoresAtExit& operator=(const CloseStoresAtExit&) = delete;
  ~CloseStoresAtExit() {
    static std::once_flag once;
    std::call_once(once, [] {
      std::atexit([] {
        Stores& stores = OpenStores();
        {
          const std::scoped_lock lock(stores.mutex);
          stores.by_uri.clear();
        }
        arrow::fs::EnsureFinalized();
      });
    });
  }
};

// A URI that is wrong stays so; a server that did not answer may do so later.
arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> Opened(
    arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> made) {
  if (made.status().IsIOError()) return StoreFailure(made.status());
  return made;
}

arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> MakeStore(const std::string& scheme,
                                                                const std::string& uri,
                                                                std::string* path) {
  const CloseStoresAtExit registered;
  if (scheme == "s3") {
    ARROW_RETURN_NOT_OK(LoadS3());
    const std::shared_ptr<arrow::fs::S3RetryStrategy> retries = std::make_shared<PatientRetries>();
    return Opened(
        arrow::fs::FileSystemFromUriAndOptions(uri, {{"retry_strategy", std::any(retries)}}, path));
  }
  std::string limited = uri;
  if (scheme.starts_with('g') && uri.find("retry_limit_seconds=") == std::string::npos) {
    // Left alone, Google's client tries for a quarter of an hour.
    limited += (uri.find('?') == std::string::npos ? '?' : '&');
    limited += "retry_limit_seconds=30";
  }
  return Opened(arrow::fs::FileSystemFromUri(limited, path));
}

// A URI behind its scheme: "bucket", "/lake" without slashes at its end, "?region=…".
struct UriParts {
  std::string authority;
  std::string path;
  std::string query;
};

UriParts SplitUri(const std::string& uri) {
  const std::size_t begin = uri.find("://") + 3;
  const std::size_t question = std::min(uri.find('?'), uri.size());
  const std::size_t slash = std::min(uri.find('/', begin), question);
  std::string path = uri.substr(slash, question - slash);
  while (path.ends_with('/')) path.pop_back();
  return {uri.substr(begin, slash - begin), path, uri.substr(question)};
}

FileStamp StampOf(const arrow::fs::FileInfo& info) {
  return {info.size(), info.mtime().time_since_epoch().count()};
}

}  // namespace

arrow::Result<StorePath> OpenStore(const std::string& uri) {
  const std::size_t colon = uri.find("://");
  const std::string scheme = uri.substr(0, colon);
  static const std::vector<std::string> known = {"s3", "gs", "gcs", "abfs", "abfss"};
  if (std::ranges::find(known, scheme) == known.end()) {
    return arrow::Status::Invalid(
        "expected a path or a URI that starts with s3://, gs:// or "
        "abfs:// but found ",
        scheme, "://");
  }
  // The store is told by what stands before and behind the path. So the path need not be escaped.
  const UriParts parts = SplitUri(uri);
  if (parts.authority.empty()) {
    return arrow::Status::Invalid("expected the name of a bucket after ", scheme, "://");
  }
  const std::string store_uri = scheme + "://" + parts.authority + parts.query;

  Stores& stores = OpenStores();
  const std::scoped_lock lock(stores.mutex);
  auto found = stores.by_uri.find(store_uri);
  if (found == stores.by_uri.end()) {
    StorePath root;
    auto made = MakeStore(scheme, store_uri, &root.path);
    if (!made.ok()) {
      return made.status().WithMessage(MaskSecretsOf(uri, made.status().message()));
    }
    root.filesystem = *std::move(made);
    // Keys may stand before the bucket; messages leave them out.
    root.prefix = scheme + "://";
    found = stores.by_uri.emplace(store_uri, std::move(root)).first;
  }
  StorePath place = found->second;
  place.path += parts.path;
  return place;
}

arrow::Result<std::string> PathInStore(const arrow::fs::FileSystem& filesystem,
                                       const std::string& uri) {
  const UriParts parts = SplitUri(uri);
  // With a slash: a URI of S3 must have a path.
  const std::string root = uri.substr(0, uri.find("://") + 3) + parts.authority + "/";
  const arrow::Result<std::string> path = filesystem.PathFromUri(root);
  if (!path.ok()) {
    return path.status().WithMessage(MaskSecretsOf(uri, path.status().message()));
  }
  std::string bucket = *path;
  while (bucket.ends_with('/')) bucket.pop_back();
  return bucket + parts.path;
}

arrow::Result<StoreEntry> LookUp(const StorePath& place) {
  ARROW_ASSIGN_OR_RAISE(const arrow::fs::FileInfo info,
                        AskStore([&] { return place.filesystem->GetFileInfo(place.path); }));
  switch (info.type()) {
    case arrow::fs::FileType::File:
      return StoreEntry{StoreEntry::Kind::kFile, StampOf(info)};
    case arrow::fs::FileType::Directory:
      return StoreEntry{StoreEntry::Kind::kDirectory, {}};
    default:
      return StoreEntry{};
  }
}

arrow::Result<std::vector<ListedFile>> ListStore(const StorePath& place, bool recursive) {
  arrow::fs::FileSelector selector;
  selector.base_dir = place.path;
  selector.recursive = recursive;
  ARROW_ASSIGN_OR_RAISE(const auto infos,
                        AskStore([&] { return place.filesystem->GetFileInfo(selector); }));
  std::vector<ListedFile> files;
  for (const arrow::fs::FileInfo& info : infos) {
    if (!info.IsFile()) continue;
    files.push_back({info.path().substr(place.path.size() + 1), StampOf(info)});
  }
  return files;
}

}  // namespace spuna::arrow_io
