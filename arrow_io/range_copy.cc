#include "arrow_io/range_copy.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace spuna::arrow_io {
namespace {

constexpr std::int64_t kBytesPerCopy = 4 << 20;

// Copies as much as the kernel will, and returns how much that was. Why it stopped is for those to
// find out who read and write the rest.
std::int64_t CopyInKernel(int from, const ByteRange& range, int to) {
  off_t position = range.begin;
  std::int64_t done = 0;
  while (done < range.size) {
    const ssize_t copied = copy_file_range(from, &position, to, nullptr,
                                           static_cast<std::size_t>(range.size - done), 0);
    if (copied <= 0) break;
    done += copied;
  }
  return done;
}

}  // namespace

RangeCopy::RangeCopy(std::vector<ByteRange> ranges, arrow::io::RandomAccessFile& from,
                     arrow::io::FileOutputStream& to)
    : ranges_(std::move(ranges)), from_(&from), to_(&to) {
  const auto* const file = dynamic_cast<const arrow::io::ReadableFile*>(&from);
  if (file != nullptr) descriptor_ = file->file_descriptor();
}

arrow::Result<RangeCopy> RangeCopy::Make(std::vector<ByteRange> ranges,
                                         arrow::io::RandomAccessFile& from,
                                         arrow::io::FileOutputStream& to) {
  RangeCopy copy(std::move(ranges), from, to);
  ARROW_ASSIGN_OR_RAISE(const std::int64_t position, to.Tell());
  for (const ByteRange& range : copy.ranges_) {
    copy.moved_by_.push_back(position + copy.size_ - range.begin);
    copy.size_ += range.size;
  }
  return copy;
}

arrow::Status RangeCopy::CopyUntil(std::int64_t num_bytes) {
  while (done_ < std::min(num_bytes, size_)) {
    const ByteRange& range = ranges_[range_];
    const std::int64_t size = std::min(range.size - done_in_range_, num_bytes - done_);
    ARROW_RETURN_NOT_OK(Copy({range.begin + done_in_range_, size}));
    done_ += size;
    done_in_range_ += size;
    if (done_in_range_ < range.size) continue;
    ++range_;
    done_in_range_ = 0;
  }
  return arrow::Status::OK();
}

arrow::Status RangeCopy::Copy(const ByteRange& piece) {
  std::int64_t done = 0;
  if (descriptor_ >= 0) {
    done = CopyInKernel(descriptor_, piece, to_->file_descriptor());
    // It is not asked again after it refused.
    if (done < piece.size) descriptor_ = -1;
  }
  while (done < piece.size) {
    const std::int64_t size = std::min(kBytesPerCopy, piece.size - done);
    input_failed_ = true;
    ARROW_ASSIGN_OR_RAISE(const auto bytes, from_->ReadAt(piece.begin + done, size));
    if (bytes->size() != size) {
      return arrow::Status::IOError("the file it is copied from has become shorter");
    }
    input_failed_ = false;
    ARROW_RETURN_NOT_OK(to_->Write(bytes));
    done += size;
  }
  return arrow::Status::OK();
}

}  // namespace spuna::arrow_io
