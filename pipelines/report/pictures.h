#pragma once

#include <arrow/result.h>

#include <string>

#include "arrow_io/input_files.h"
#include "pipelines/source/bad_files.h"
#include "pipelines/source/row_sample.h"

namespace spuna {

/// The picture of one row as a data: URI; "" where there is none that a page could show: not a PNG,
/// JPEG, GIF or WebP of at most 300 kB. The column holds bytes, or a path to a file, relative to
/// the file of the row or absolute; or a struct that has one of these as `bytes` or `path`, as
/// Hugging Face datasets do.
arrow::Result<std::string> ReadPicture(const arrow_io::InputFiles& input, const RowSample& row,
                                       const std::string& column, const BadFiles& bad_files);

/// Bytes as a data: URI, or "".
std::string ToDataUri(const std::string& bytes);

}  // namespace spuna
