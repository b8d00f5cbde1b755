#include "arrow_io/file_identity.h"

#include <arrow/buffer.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/io/file.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/key_value_metadata.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "arrow_io/failure.h"
#include "arrow_io/hash.h"

namespace spuna::arrow_io {
namespace {

using File = std::shared_ptr<arrow::io::RandomAccessFile>;

// Holds the footers of most files, so that one read is enough.
constexpr std::int64_t kEndBytes = 16 << 10;
constexpr std::int64_t kBlockBytes = 8 << 20;
// "PAR1" behind the footer and its length.
constexpr std::int64_t kTrailerBytes = 8;

arrow::Result<std::string> HashOfFooter(arrow::io::RandomAccessFile& file) {
  ARROW_ASSIGN_OR_RAISE(const std::int64_t size, file.GetSize());
  auto read_end = [&](std::int64_t num_bytes) {
    const std::int64_t length = std::min(num_bytes, size);
    return file.ReadAt(size - length, length);
  };
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> end, read_end(kEndBytes));
  if (end->size() >= kTrailerBytes) {
    std::uint32_t length = 0;
    std::memcpy(&length, end->data() + end->size() - kTrailerBytes, sizeof(length));
    const std::int64_t needed = std::min<std::int64_t>(size, length + kTrailerBytes);
    if (needed > end->size()) {
      ARROW_ASSIGN_OR_RAISE(end, read_end(needed));
    } else {
      end = arrow::SliceBuffer(end, end->size() - needed);
    }
  }
  return HashDigits(end->ToString());
}

arrow::Result<std::string> HashOfContent(arrow::io::RandomAccessFile& file) {
  ARROW_ASSIGN_OR_RAISE(const std::int64_t size, file.GetSize());
  ARROW_ASSIGN_OR_RAISE(const auto metadata, file.ReadMetadata());
  if (metadata != nullptr) {
    const arrow::Result<std::string> tag = metadata->Get("ETag");
    if (tag.ok() && !tag->empty()) return *tag;
  }
  RunningHash hash;
  for (std::int64_t begin = 0; begin < size; begin += kBlockBytes) {
    ARROW_ASSIGN_OR_RAISE(const auto block,
                          file.ReadAt(begin, std::min(kBlockBytes, size - begin)));
    hash.Add(block->data(), static_cast<std::size_t>(block->size()));
  }
  return hash.Digits();
}

// Opens past the cache of blocks, which is made for reading much of a file, and past the counter of
// opens: no row is read here.
arrow::Result<File> OpenBare(const InputFile& file) {
  if (file.filesystem == nullptr) return arrow::io::ReadableFile::Open(file.name);
  return AskStore([&] { return file.filesystem->OpenInputFile(file.store_path); });
}

template <typename Read>
arrow::Result<std::string> OfFile(const InputFile& file, Read read) {
  auto hash = [&]() -> arrow::Result<std::string> {
    ARROW_ASSIGN_OR_RAISE(const File opened, OpenBare(file));
    if (file.filesystem != nullptr) return AskStore([&] { return read(*opened); });
    return read(*opened);
  }();
  if (hash.ok()) return hash;
  return FileFailure(hash.status()).WithMessage(file.name, ": ", hash.status().message());
}

}  // namespace

arrow::Result<std::string> FooterHash(const InputFile& file) { return OfFile(file, HashOfFooter); }

arrow::Result<std::string> FooterHash(const std::filesystem::path& path) {
  return FooterHash(LocalFile(path));
}

arrow::Result<std::string> ContentHash(const InputFile& file) {
  return OfFile(file, HashOfContent);
}

arrow::Result<std::string> ContentHash(const std::filesystem::path& path) {
  return ContentHash(LocalFile(path));
}

}  // namespace spuna::arrow_io
