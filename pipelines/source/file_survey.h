#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "arrow_io/input_files.h"
#include "arrow_io/parquet_input.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/bad_files.h"

namespace spuna {

/// What the footers of an input say.
struct FileSurvey {
  /// The rows of each file; 0 where it is skipped.
  std::vector<std::int64_t> num_rows;
  /// The sum of them.
  std::int64_t total_rows = 0;
  /// The dimension of the embeddings, where the first file tells it; else 0.
  std::int64_t dimension = 0;
  /// What the rows of all columns take when they are decoded, as far as the footers tell.
  std::int64_t decoded_bytes = 0;
};

/// Reads all footers, several at a time. `check` says what speaks against a file; it may be empty
/// and is called from several threads. `embedding` is the column of the embeddings. It is an error
/// when no file is left.
arrow::Result<FileSurvey> SurveyFiles(
    const arrow_io::InputFiles& input, const std::string& embedding,
    const std::function<arrow::Status(const arrow_io::ParquetInput&)>& check, BadFiles& bad_files,
    const Runtime& runtime);

/// What an input is told by in a configuration: its files' relative paths, sizes and times.
nlohmann::json Fingerprint(const arrow_io::InputFiles& input);

}  // namespace spuna
