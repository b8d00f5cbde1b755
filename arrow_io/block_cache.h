#pragma once

#include <arrow/io/type_fwd.h>

#include <cstdint>
#include <memory>

namespace spuna::arrow_io {

/// A file of a store that is read in large blocks, of which the last few are kept: whoever asks for
/// a page and then for the next, or copies what another has just decoded, causes one request. Reads
/// from several threads may be under way at once.
std::shared_ptr<arrow::io::RandomAccessFile> CacheBlocks(
    std::shared_ptr<arrow::io::RandomAccessFile> file, std::int64_t size);

}  // namespace spuna::arrow_io
