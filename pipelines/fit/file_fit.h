#pragma once

#include <arrow/result.h>

#include <string>

#include "pipelines/fit/fit_checkpoint.h"
#include "pipelines/fit/fit_memory.h"
#include "pipelines/fit/fit_result.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/source.h"

namespace spuna {

/// A fit on files.
struct FitRequest {
  Source trusted;
  Source pool;
  FitOptions options;
  FitExtras extras;
  /// The column of the pool's ids, for findings; empty chooses as ResolveIdColumn does.
  std::string id;
  /// Whether to start even if there seems to be too little memory.
  bool force = false;

  /// Reads the footers of both inputs, and finds out what the fit can't do before the work. A pool
  /// that will be sampled is put in the order of its paths: then the fit does not depend on the
  /// order in which they were given. `check` is called with the pool's files.
  arrow::Status Survey(const Source::FileCheck& check, const Runtime& runtime);

  // From Survey on.
  /// Whether the pool is represented by a sample, and how many rows the fit sees.
  bool IsSampled() const { return options.fit_rows > 0 && pool.num_rows() > options.fit_rows; }
  std::int64_t NumFitRows() const { return IsSampled() ? options.fit_rows : pool.num_rows(); }
  FitShape Shape() const;
};

/// Reads both inputs, which must have been surveyed, and fits. Equal rows in equal order give an
/// equal model, whatever the files. `checkpoint` may be null.
arrow::Result<FitResult> Fit(const FitRequest& request, FitCheckpoint* checkpoint,
                             StageClock& clock);

}  // namespace spuna
