#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <string>

#include "algorithms/guarantees/metrics.h"
#include "arrow_io/input_files.h"
#include "pipelines/run/runtime.h"

namespace spuna {

struct Evaluation {
  algorithms::DetectionMetrics metrics;
  /// Rows that were compared.
  std::int64_t rows = 0;
  /// Rows without a score or without a truth.
  std::int64_t rows_skipped = 0;
};

/// Compares a column of scores with a column of truth (boolean or 0/1; true is shifted). Either may
/// be a key of the input's hive partitions.
arrow::Result<Evaluation> Evaluate(const arrow_io::InputFiles& input, const std::string& truth,
                                   const std::string& score, const Runtime& runtime);

/// The same for a stream, which is read to its end.
arrow::Result<Evaluation> Evaluate(arrow::RecordBatchReader& input, const std::string& truth,
                                   const std::string& score, const Runtime& runtime);

}  // namespace spuna
