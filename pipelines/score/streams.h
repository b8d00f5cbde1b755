#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipelines/model/model.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/options/options.h"
#include "pipelines/run/job_report.h"
#include "pipelines/run/row_counts.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/placed_reviews.h"

namespace spuna {

/// A stream of the input's rows with our columns appended: batch by batch, in order, scored as they
/// are asked for. Columns and metadata stay as they are, but for what the options say of columns.
/// The model is kept alive; `runtime` is copied. `counts`, where given, is kept up to date and must
/// outlive the stream. `reviews`, which may be null, decide about the rows with these numbers.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ScoreStream(
    std::shared_ptr<arrow::RecordBatchReader> input, std::shared_ptr<const Model> model,
    const ScoreOptions& options, const Runtime& runtime, RowCounts* counts = nullptr,
    std::shared_ptr<const FileReviews> reviews = nullptr);

/// The rows of files, scored as they are asked for.
struct ScoredFiles {
  std::shared_ptr<arrow::RecordBatchReader> rows;
  /// Why a file was skipped, by its path.
  SkippedFiles skipped;
};

/// The rows of files, those that can't be read left out if the job says so, scored the same way.
arrow::Result<ScoredFiles> ScoreFiles(const std::vector<std::string>& paths, const ScoreJob& job,
                                      std::shared_ptr<const Model> model, int num_threads);

/// Whether scoring can make its columns from these.
arrow::Status CheckScoredColumns(const arrow::Schema& schema, const ScoreOptions& options);

}  // namespace spuna
