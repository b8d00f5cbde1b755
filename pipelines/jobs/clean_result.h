#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/fit/file_fit.h"
#include "pipelines/fit/fit_result.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/report/pool_pass.h"
#include "pipelines/report/pool_rows.h"
#include "pipelines/run/job_report.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// A pool that was fitted on and scored, of which nothing was written: what a call gets where the
/// command writes files. Immutable from Make on; may be used by several threads if the pool can be
/// opened by several.
class CleanResult {
 public:
  /// What was cleaned: files, or a stream that `open` opens again.
  struct Input {
    /// Null for a stream.
    std::shared_ptr<const FitRequest> files;
    OpenRows open;
    std::shared_ptr<const PoolRows> pool;
  };

  /// Scores and counts the pool of a fit with findings.
  static arrow::Result<std::shared_ptr<const CleanResult>> Make(const CleanJob& job, Input input,
                                                                FitResult fit, StageClock& clock);

  const std::shared_ptr<const Model>& model() const { return model_; }
  /// What the command reports.
  const JobReport& report() const { return report_; }
  /// The same with the distance and the kinds of shift, which the command reports if it was asked
  /// for reasons, groups or a report.
  JobReport ReportWithFindings() const;
  /// As many as cleaned the pool.
  int num_threads() const { return num_threads_; }

  /// The numbers of the rows that are kept, or of those that are dropped, among those that Rows
  /// gives where none is left out. Rows without a valid embedding are neither.
  std::vector<std::int64_t> RowNumbers(RowDecision decision) const;
  /// The same as the texts of the column of ids, without a value for null; not set where the job
  /// names none.
  using Ids = std::vector<std::optional<std::string>>;
  std::optional<Ids> RowIds(RowDecision decision) const;

  /// The pool's rows with our columns, scored as they are asked for.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Rows() const;

  /// Why rows are dropped, as Reasons has it, in memory.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeReasons(
      const Runtime& runtime) const;
  /// The same as the file that the command writes.
  arrow::Status WriteReasons(const std::string& path, bool overwrite, const Runtime& runtime) const;

  /// Writes the page that the command writes.
  arrow::Status WriteReport(const std::string& path, bool overwrite, const Runtime& runtime) const;

 private:
  CleanResult(const CleanJob& job, Input input, FitResult fit, int num_threads);

  // Reads the pool once more.
  arrow::Result<PoolPassResult> Read(const PoolPassOptions& options, StageClock& clock) const;
  arrow::Status Score(StageClock& clock);
  arrow::Status CheckOutput(const std::string& path, const char* option) const;
  // The files that were read; none for a stream.
  std::size_t CountFiles() const;
  // What a person said of the rows that Rows gives, by their numbers there; null for nothing.
  std::shared_ptr<const FileReviews> ReviewsOfRows() const;
  // The numbers of the pool's parts in the order of their rows.
  std::vector<std::size_t> PartOrder() const;

  CleanJob job_;
  ScoreOptions scoring_;
  Input input_;
  FitResult fit_;
  std::shared_ptr<const Model> model_;
  PoolPassResult pass_;
  JobReport report_;
  int num_threads_;
};

}  // namespace spuna
