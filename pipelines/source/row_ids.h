#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <string>
#include <vector>

#include "arrow_io/input_files.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/bad_files.h"
#include "pipelines/source/row_sample.h"

namespace spuna {

/// What some rows have in a column, in order, as text; "" for null. `option` names the option that
/// asked for the column, for messages. Files that are bad are passed over.
arrow::Result<std::vector<std::string>> ReadTexts(const arrow_io::InputFiles& input,
                                                  const RowSample& rows, const std::string& column,
                                                  const std::string& option,
                                                  const BadFiles& bad_files,
                                                  const Runtime& runtime);

/// The column that names the rows of an input: the one asked for, else "id" where the first file
/// that can be read has it, else none, which is "".
arrow::Result<std::string> ResolveIdColumn(const arrow_io::InputFiles& input,
                                           const std::string& asked, const BadFiles& bad_files);

/// What stands for the id of a row where there is none: its file and number.
std::string PlaceOf(const arrow_io::InputFile& file, std::int64_t row);

/// The ids of some rows, from a column or, where it is "", by their places.
arrow::Result<std::vector<std::string>> ReadIds(const arrow_io::InputFiles& input,
                                                const RowSample& rows, const std::string& column,
                                                const BadFiles& bad_files, const Runtime& runtime);

}  // namespace spuna
