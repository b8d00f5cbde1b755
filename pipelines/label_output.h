#pragma once

#include <arrow/status.h>

#include "arrow_io/input_files.h"
#include "arrow_io/staged_output.h"
#include "pipelines/fit.h"
#include "pipelines/options.h"
#include "pipelines/runtime.h"

namespace spuna {

/// Writes one row for every pool row to one file: its columns other than the embedding, the keys of
/// its hive partitions, and what the fit says of it: label, round, score without classifier. `fit`
/// must have neighbor scores. The output is staged, not committed.
arrow::Status WriteLabels(const arrow_io::InputFiles& pool, const FitResult& fit,
                          const ScoreOptions& options, const arrow_io::StagedOutput& output,
                          StageClock& clock);

}  // namespace spuna
