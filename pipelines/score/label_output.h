#pragma once

#include <arrow/status.h>

#include <string>

#include "arrow_io/staged_output.h"
#include "pipelines/fit/fit_result.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/source.h"

namespace spuna {

struct LabelOptions {
  std::string prefix = "spuna_";
  InvalidRows invalid = InvalidRows::kNull;
};

/// Whether the labels of this pool, which was surveyed, can go to one file: its files must have the
/// same columns, and none of ours.
arrow::Status CheckLabelColumns(const Source& pool, const LabelOptions& options);

/// Writes one row for every pool row to one file: its columns other than the embedding, the keys of
/// its hive partitions, and what the fit gave it: label, round, score without classifier. `fit`
/// must have neighbor scores. Rows outside the fit's sample have no label. The output is staged,
/// not committed.
arrow::Status WriteLabels(const Source& pool, const FitResult& fit, const LabelOptions& options,
                          const arrow_io::StagedOutput& output, StageClock& clock);

}  // namespace spuna
