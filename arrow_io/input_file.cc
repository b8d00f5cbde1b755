#include "arrow_io/input_file.h"

#include <arrow/filesystem/filesystem.h>
#include <arrow/io/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "arrow_io/block_cache.h"
#include "arrow_io/failure.h"
#include "arrow_io/file_memory.h"
#include "arrow_io/open_counter.h"

namespace spuna::arrow_io {

arrow::Result<FileStamp> LocalStamp(const std::string& path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) return SystemFailure(path, errno);
  return FileStamp{found.st_size,
                   std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
}

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> InputFile::Open() const {
  OpenCounter::Note(name);
  using File = std::shared_ptr<arrow::io::RandomAccessFile>;
  arrow::Result<File> file = filesystem == nullptr
                                 ? arrow::io::ReadableFile::Open(name, FileMemory())
                                 : AskStore([&] { return filesystem->OpenInputFile(store_path); });
  if (!file.ok()) {
    return FileFailure(file.status()).WithMessage(name, ": ", file.status().message());
  }
  // A store answers each request after a while, so it is asked for large blocks, once.
  if (filesystem != nullptr) return CacheBlocks(*std::move(file), stamp.size);
  return file;
}

arrow::Status InputFile::CheckUnchanged() const {
  FileStamp now;
  if (filesystem == nullptr) {
    ARROW_ASSIGN_OR_RAISE(now, LocalStamp(name));
  } else {
    const arrow::Result<StoreEntry> entry = LookUp({filesystem, store_path, ""});
    if (!entry.ok()) return entry.status().WithMessage(name, ": ", entry.status().message());
    if (entry->kind != StoreEntry::Kind::kFile) {
      return WithKind(
          arrow::Status::IOError(name, ": it was there when the run began and is gone now"),
          FailureKind::kMayPass);
    }
    now = entry->stamp;
  }
  if (now == stamp) return arrow::Status::OK();
  return WithKind(
      arrow::Status::IOError(name, ": the file changed while the run read it (it had ", stamp.size,
                             " bytes and has ", now.size, "); run again when nobody writes to it"),
      FailureKind::kMayPass);
}

InputFile LocalFile(const std::filesystem::path& path) {
  InputFile file;
  file.name = path.string();
  return file;
}

}  // namespace spuna::arrow_io
