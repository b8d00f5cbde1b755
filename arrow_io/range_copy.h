#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spuna::arrow_io {

/// Some bytes of a file.
struct ByteRange {
  std::int64_t begin;
  std::int64_t size;
};

/// Copies ranges of a file to the end of another, one after the other and as far as is asked: by
/// the kernel where both are files of this machine and it can, otherwise through memory.
class RangeCopy {
 public:
  /// Both files must outlive it; nobody else may write while it does.
  static arrow::Result<RangeCopy> Make(std::vector<ByteRange> ranges,
                                       arrow::io::RandomAccessFile& from,
                                       arrow::io::FileOutputStream& to);

  /// The bytes of all ranges.
  std::int64_t size() const { return size_; }
  /// How much further on than in its own file a range will lie.
  std::int64_t MovedBy(std::size_t range) const { return moved_by_[range]; }

  /// Goes on until so many bytes in all are copied.
  arrow::Status CopyUntil(std::int64_t num_bytes);
  /// Whether reading was what failed.
  bool InputFailed() const { return input_failed_; }

 private:
  RangeCopy(std::vector<ByteRange> ranges, arrow::io::RandomAccessFile& from,
            arrow::io::FileOutputStream& to);
  arrow::Status Copy(const ByteRange& piece);

  std::vector<ByteRange> ranges_;
  arrow::io::RandomAccessFile* from_;
  arrow::io::FileOutputStream* to_;
  // The kernel's name of the input; -1 where the kernel can't copy.
  int descriptor_ = -1;
  std::vector<std::int64_t> moved_by_;
  std::int64_t size_ = 0;
  std::int64_t done_ = 0;
  // Where that is: within this range, so many bytes from its begin.
  std::size_t range_ = 0;
  std::int64_t done_in_range_ = 0;
  bool input_failed_ = false;
};

}  // namespace spuna::arrow_io
