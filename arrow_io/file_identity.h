#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <string>

#include "arrow_io/input_file.h"

namespace spuna::arrow_io {

/// The hash of a Parquet file's footer, which says where every column chunk is: nobody writes the
/// file again without changing it. A few kilobytes are read. What ends in no footer has the hash of
/// its end.
arrow::Result<std::string> FooterHash(const InputFile& file);
/// The same of a file of this machine.
arrow::Result<std::string> FooterHash(const std::filesystem::path& path);

/// What tells whether the content of a file has changed: the entity tag where a store gives one,
/// else the hash of all bytes.
arrow::Result<std::string> ContentHash(const InputFile& file);
arrow::Result<std::string> ContentHash(const std::filesystem::path& path);

}  // namespace spuna::arrow_io
