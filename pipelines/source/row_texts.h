#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrow_io/input_files.h"
#include "arrow_io/parquet_input.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/source.h"

namespace spuna {

/// A column whose values are wanted as text, and the option that asked for it, for messages.
struct TextColumn {
  std::string name;
  std::string option;
};

/// What some rows of an open file have in a column, in order, as text; "" for null. `rows` are
/// numbers within the file, ascending; row groups without any of them are not read. The column may
/// be a key of the file's hive partitions.
arrow::Result<std::vector<std::string>> ReadTexts(const arrow_io::ParquetInput& parquet,
                                                  std::span<const std::int64_t> rows,
                                                  const TextColumn& column, const Runtime& runtime);

/// The column that names rows; none where the name is "". A file that lacks it, or in which the
/// values of one that nobody asked for are no text, has its rows named by their places.
struct IdColumn {
  std::string name;
  bool is_asked = false;

  /// Whether the rows of a file, with the hive keys of its path, are named by it.
  bool IsIn(const arrow::Schema& schema,
            const std::vector<std::pair<std::string, std::string>>& hive_keys = {}) const;
};

/// That of an input that was surveyed: the one asked for, else "id" where its first file has it.
IdColumn ResolveIdColumn(const Source& source, const std::string& asked);
/// The same for a stream, or for one file.
IdColumn ResolveIdColumn(const arrow::Schema& schema, const std::string& asked);

/// What stands for the id of a row where there is none: its file and number.
std::string PlaceOf(const arrow_io::InputFile& file, std::int64_t row);
/// The same for a stream: its number, from 0.
std::string PlaceInStream(std::int64_t row);

/// The ids of some rows of an open file of an input.
arrow::Result<std::vector<std::string>> ReadIds(const arrow_io::InputFile& file,
                                                const arrow_io::ParquetInput& parquet,
                                                std::span<const std::int64_t> rows,
                                                const IdColumn& column, const Runtime& runtime);

}  // namespace spuna
