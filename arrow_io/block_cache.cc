#include "arrow_io/block_cache.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <list>
#include <mutex>
#include <utility>

#include "arrow_io/failure.h"
#include "arrow_io/file_memory.h"

namespace spuna::arrow_io {
namespace {

constexpr std::int64_t kBlockBytes = 4 << 20;
constexpr std::size_t kMaxBlocks = 16;

class CachedFile : public arrow::io::RandomAccessFile {
 public:
  CachedFile(std::shared_ptr<arrow::io::RandomAccessFile> file, std::int64_t size)
      : file_(std::move(file)), size_(size) {}

  arrow::Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }
  arrow::Result<std::int64_t> Tell() const override { return position_; }
  arrow::Result<std::int64_t> GetSize() override { return size_; }
  arrow::Status Seek(std::int64_t position) override {
    if (position < 0) return arrow::Status::Invalid("can't seek to ", position);
    position_ = position;
    return arrow::Status::OK();
  }

  arrow::Result<std::int64_t> Read(std::int64_t num_bytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const std::int64_t read, ReadAt(position_, num_bytes, out));
    position_ += read;
    return read;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t num_bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, num_bytes));
    position_ += buffer->size();
    return buffer;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(std::int64_t position,
                                                       std::int64_t num_bytes) override {
    const std::int64_t available = std::clamp<std::int64_t>(size_ - position, 0, num_bytes);
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(available, FileMemory()));
    ARROW_ASSIGN_OR_RAISE(const std::int64_t read,
                          ReadAt(position, available, buffer->mutable_data()));
    return arrow::SliceBuffer(std::shared_ptr<arrow::Buffer>(std::move(buffer)), 0, read);
  }

  arrow::Result<std::int64_t> ReadAt(std::int64_t position, std::int64_t num_bytes,
                                     void* out) override {
    std::int64_t done = 0;
    while (done < num_bytes && position + done < size_) {
      const std::int64_t at = position + done;
      ARROW_ASSIGN_OR_RAISE(const auto block, Block(at / kBlockBytes));
      const std::int64_t within = at % kBlockBytes;
      const std::int64_t count = std::min(num_bytes - done, block->size() - within);
      if (count <= 0) break;
      std::memcpy(static_cast<char*>(out) + done, block->data() + within,
                  static_cast<std::size_t>(count));
      done += count;
    }
    return done;
  }

 private:
  using Bytes = std::shared_ptr<arrow::Buffer>;
  struct Entry {
    std::int64_t number;
    // Null while it is on its way.
    Bytes bytes;
  };

  arrow::Result<Bytes> Block(std::int64_t number) {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto found = std::ranges::find(entries_, number, &Entry::number);
      if (found == entries_.end()) break;
      if (found->bytes != nullptr) {
        entries_.splice(entries_.begin(), entries_, found);
        return found->bytes;
      }
      arrived_.wait(lock);
    }
    entries_.push_front({number, nullptr});
    const auto entry = entries_.begin();
    lock.unlock();
    arrow::Result<Bytes> bytes = Fetch(number);
    lock.lock();
    if (bytes.ok()) {
      entry->bytes = *bytes;
    } else {
      entries_.erase(entry);  // Whoever waits for it asks again.
    }
    // The oldest that is not on its way goes.
    for (auto it = entries_.end(); entries_.size() > kMaxBlocks && it != entries_.begin();) {
      --it;
      if (it->bytes != nullptr) it = entries_.erase(it);
    }
    arrived_.notify_all();
    return bytes;
  }

  arrow::Result<Bytes> Fetch(std::int64_t number) {
    const std::int64_t begin = number * kBlockBytes;
    const std::int64_t wanted = std::min(kBlockBytes, size_ - begin);
    ARROW_ASSIGN_OR_RAISE(Bytes bytes, AskStore([&] { return file_->ReadAt(begin, wanted); }));
    if (bytes->size() < wanted) {
      return WithKind(arrow::Status::IOError("expected ", wanted, " bytes at ", begin,
                                             " but found ", bytes->size()),
                      FailureKind::kMayPass);
    }
    return bytes;
  }

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::int64_t size_;
  std::int64_t position_ = 0;
  std::mutex mutex_;
  std::condition_variable arrived_;
  // The block used last comes first.
  std::list<Entry> entries_;
};

}  // namespace

std::shared_ptr<arrow::io::RandomAccessFile> CacheBlocks(
    std::shared_ptr<arrow::io::RandomAccessFile> file, std::int64_t size) {
  return std::make_shared<CachedFile>(std::move(file), size);
}

}  // namespace spuna::arrow_io
