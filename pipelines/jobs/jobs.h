#pragma once

#include <arrow/result.h>

#include <map>
#include <memory>
#include <string>

#include "pipelines/jobs/clean_result.h"
#include "pipelines/jobs/review_run.h"
#include "pipelines/model/model.h"
#include "pipelines/monitor/monitor_report.h"
#include "pipelines/options/job_descriptions.h"
#include "pipelines/run/job_plan.h"
#include "pipelines/run/job_report.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// Runs a job. Every output is checked before the work starts, and every file appears whole or not
/// at all. A job that was stopped, by a kill at any moment, resumes when it is run again, to the
/// same result: a directory keeps the files that are finished, a fit its last round.
arrow::Result<JobReport> Run(const FitJob& job, const Runtime& runtime);
arrow::Result<JobReport> Run(const ScoreJob& job, const Runtime& runtime);
arrow::Result<JobReport> Run(const CleanJob& job, const Runtime& runtime);
arrow::Result<Evaluation> Run(const EvaluateJob& job, const Runtime& runtime);
/// Chooses rows for a person to look at. The outputs may both be left out. `model` is chosen by,
/// where it is not null, instead of the job's.
arrow::Result<ReviewReport> Run(const ReviewJob& job, const Runtime& runtime,
                                const Model* model = nullptr);
/// The same of streams, read to their end, instead of the inputs of the job. `trusted` may be null
/// where there is a model. Rows are named by their ids or, where they have none, by their numbers.
/// The rows are held in files of the temporary directory (TMPDIR) while this runs.
arrow::Result<ReviewReport> ReviewStreams(arrow::RecordBatchReader* trusted,
                                          arrow::RecordBatchReader& pool, const ReviewJob& job,
                                          const Model* model, const Runtime& runtime);

/// Watches a batch. It is an error where no row of it is valid, and where the model holds nothing
/// to watch with. The state changes last, after all else was written: a run that failed or was
/// killed can be repeated, and never counts twice.
arrow::Result<MonitorReport> Run(const MonitorJob& job, const Runtime& runtime);
/// The same with a model in memory, on the job's files or, where it is not null, on a stream.
arrow::Result<MonitorReport> Run(const MonitorJob& job, const Model& model,
                                 arrow::RecordBatchReader* rows, const Runtime& runtime);

/// Checks a job as Run does, reads the footers, and tries a small part of the work. Nothing is left
/// behind.
arrow::Result<JobPlan> Plan(const FitJob& job, const Runtime& runtime);
arrow::Result<JobPlan> Plan(const ScoreJob& job, const Runtime& runtime);
arrow::Result<JobPlan> Plan(const CleanJob& job, const Runtime& runtime);

/// A model that was fitted on files.
struct FittedModel {
  Model model;
  /// Why a file of the pool was skipped, by its path.
  SkippedFiles skipped;
};

/// Fits on files and writes nothing.
arrow::Result<FittedModel> FitModel(const FitJob& job, const Runtime& runtime);

/// Cleans files, and writes nothing: the job has no output.
arrow::Result<std::shared_ptr<const CleanResult>> CleanFiles(const CleanJob& job,
                                                             const Runtime& runtime);

/// The same for streams. The pool is read again by `reopen`, or held in memory where that is empty.
arrow::Result<std::shared_ptr<const CleanResult>> CleanStreams(arrow::RecordBatchReader& trusted,
                                                               arrow::RecordBatchReader& pool,
                                                               const OpenRows& reopen,
                                                               const CleanJob& job,
                                                               const Runtime& runtime);

}  // namespace spuna
