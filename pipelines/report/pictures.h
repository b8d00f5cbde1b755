#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>

#include "arrow_io/input_files.h"
#include "arrow_io/parquet_input.h"
#include "pipelines/source/named_column.h"
#include "pipelines/source/row_texts.h"

namespace spuna {

/// The picture of one row of an open file as a data: URI; "" where there is none that a page could
/// show: not a PNG, JPEG, GIF or WebP of at most 300 kB. The column holds bytes, or a path to a
/// file, relative to the file of the row or absolute; or a struct that has one of these as `bytes`
/// or `path`, as Hugging Face datasets do.
arrow::Result<std::string> ReadPicture(const arrow_io::InputFile& file,
                                       const arrow_io::ParquetInput& parquet, std::int64_t row,
                                       const std::string& column);

/// The bytes of the same; "" where there is no such picture of at most `max_bytes`.
arrow::Result<std::string> ReadPictureBytes(const arrow_io::InputFile& file,
                                            const arrow_io::ParquetInput& parquet, std::int64_t row,
                                            const TextColumn& column, std::size_t max_bytes);

/// The picture of one value of such a column as a data: URI. Paths that are not absolute start at
/// `directory`; where it is null there are no paths.
std::string PictureAt(const std::shared_ptr<arrow::Array>& column, std::int64_t i,
                      const char* directory);

/// An error where a column of the schema can't hold pictures: it is none of bytes, of texts or of
/// such structs.
arrow::Status CheckPictureColumn(const arrow::Schema& schema, const NamedColumn& column);

/// Bytes as a data: URI, or "".
std::string ToDataUri(const std::string& bytes);

}  // namespace spuna
