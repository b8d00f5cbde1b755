#pragma once

#include <arrow/status.h>

#include <string>

#include "arrow_io/input_files.h"
#include "arrow_io/staged_output.h"
#include "pipelines/fit/fit.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/bad_files.h"

namespace spuna {

struct LabelOptions {
  /// The embedding column, which is left out.
  std::string embedding;
  std::string prefix = "spuna_";
  InvalidRows invalid = InvalidRows::kNull;
};

/// Whether the labels of this pool can go to one file: its files must have the same columns, and
/// none of ours.
arrow::Status CheckLabelColumns(const arrow_io::InputFiles& pool, const LabelOptions& options,
                                const BadFiles& bad_files);

/// Writes one row for every pool row to one file: its columns other than the embedding, the keys of
/// its hive partitions, and what the fit says of it: label, round, score without classifier. `fit`
/// must have neighbor scores. Rows outside the fit's sample have no label. The output is staged,
/// not committed.
arrow::Status WriteLabels(const arrow_io::InputFiles& pool, const FitResult& fit,
                          const LabelOptions& options, const BadFiles& bad_files,
                          const arrow_io::StagedOutput& output, StageClock& clock);

}  // namespace spuna
