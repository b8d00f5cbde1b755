#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrow_io/parquet_input.h"
#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/row_sample.h"
#include "pipelines/source/row_texts.h"
#include "pipelines/source/source.h"

namespace spuna {

/// What to read of an input that was surveyed.
struct RowsRequest {
  /// Whether texts are wanted.
  bool HasTexts() const { return !classes.empty() || !groups.empty() || ids; }

  const Source& source;
  InvalidRows invalid = InvalidRows::kNull;
  /// The column of classes; empty for none.
  std::string classes;
  /// The column of groups; empty for none.
  std::string groups;
  /// The column of ids; not set where they are not wanted.
  std::optional<IdColumn> ids;
};

/// The rows of an input in memory.
struct SourceRows {
  EmbeddingMatrix matrix;
  /// Of every valid row, where it was asked for.
  std::vector<std::string> classes;
  std::vector<std::string> groups;
  std::vector<std::string> ids;

  /// Adds classes, groups and ids of some rows of an open file of the input, as far as they are
  /// asked for.
  arrow::Status AppendTexts(const RowsRequest& request, std::size_t file,
                            const arrow_io::ParquetInput& parquet,
                            const std::vector<std::int64_t>& rows, const Runtime& runtime);
};

/// Reads all rows. It is an error when no row is valid, and with InvalidRows::kError when one row
/// is not. Each file is opened once.
arrow::Result<SourceRows> ReadAllRows(const RowsRequest& request, StageClock& clock);

/// The same for some rows only, in memory for no more than these and a few batches.
arrow::Result<SourceRows> ReadSampledRows(const RowsRequest& request, const RowSample& sample,
                                          StageClock& clock);

}  // namespace spuna
