#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <string>

#include "arrow_io/input_files.h"
#include "arrow_io/parquet_input.h"
#include "pipelines/source/named_column.h"

namespace spuna {

/// The picture of one row of an open file as a data: URI; "" where there is none that a page could
/// show: not a PNG, JPEG, GIF or WebP of at most 300 kB. The column holds bytes, or a path to a
/// file, relative to the file of the row or absolute; or a struct that has one of these as `bytes`
/// or `path`, as Hugging Face datasets do.
arrow::Result<std::string> ReadPicture(const arrow_io::InputFile& file,
                                       const arrow_io::ParquetInput& parquet, std::int64_t row,
                                       const std::string& column);

/// An error where a column of the schema can't hold pictures: it is none of bytes, of texts or of
/// such structs.
arrow::Status CheckPictureColumn(const arrow::Schema& schema, const NamedColumn& column);

/// Bytes as a data: URI, or "".
std::string ToDataUri(const std::string& bytes);

}  // namespace spuna
