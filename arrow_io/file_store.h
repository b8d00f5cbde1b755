#pragma once

#include <arrow/filesystem/type_fwd.h>
#include <arrow/io/type_fwd.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace spuna::arrow_io {

/// A place in an object store.
struct StorePath {
  std::shared_ptr<arrow::fs::FileSystem> filesystem;
  /// The path as the store has it: "bucket/lake".
  std::string path;
  /// What stands before it in a URI without its query: "s3://".
  std::string prefix;
};

/// Finds the store of an s3://, gs:// or abfs:// URI. Options of Arrow's filesystems may follow the
/// path as a query, "?endpoint_override=…&scheme=http"; credentials come from the environment. A
/// request that fails is repeated for about half a minute; the environment variable
/// SPUNA_STORE_RETRIES says how often, 9 times unless it is set.
arrow::Result<StorePath> OpenStore(const std::string& uri);

/// The path of a URI in a store that is open; its query is not read. Asks nothing of the store.
arrow::Result<std::string> PathInStore(const arrow::fs::FileSystem& filesystem,
                                       const std::string& uri);

/// The size of a file and when it was changed last, in nanoseconds.
struct FileStamp {
  std::int64_t size = 0;
  std::int64_t changed = 0;

  bool operator==(const FileStamp&) const = default;
};

/// A file of a listing.
struct ListedFile {
  /// Below the directory that was listed.
  std::string relative_path;
  FileStamp stamp;
};

/// What there is at a place in a store.
struct StoreEntry {
  enum class Kind { kNothing, kFile, kDirectory };
  Kind kind = Kind::kNothing;
  FileStamp stamp;
};
arrow::Result<StoreEntry> LookUp(const StorePath& place);

/// All files below a place in a store, or only those in it, in no particular order.
arrow::Result<std::vector<ListedFile>> ListStore(const StorePath& place, bool recursive = true);

}  // namespace spuna::arrow_io
