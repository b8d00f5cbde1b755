#include "pipelines/jobs/jobs.h"

#include <utility>

#include "pipelines/jobs/clean_rows.h"
#include "pipelines/jobs/clean_run.h"
#include "pipelines/jobs/fit_run.h"
#include "pipelines/jobs/monitor_run.h"
#include "pipelines/jobs/plan.h"
#include "pipelines/jobs/review_rows.h"
#include "pipelines/jobs/score_run.h"
#include "pipelines/jobs/standard_streams.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/score/evaluate.h"

namespace spuna {
namespace {

arrow::Result<JobReport> RunFit(const FitJob& job, StageClock& clock) {
  ARROW_RETURN_NOT_OK(job.Validate());
  if (!job.model && !job.labels) return arrow::Status::Invalid("`model` names no file");
  ARROW_ASSIGN_OR_RAISE(FitRun run, FitRun::Prepare(job));
  const nlohmann::json configuration = run.Configuration();
  const RunState::Place place = run.StatePlace();
  ARROW_ASSIGN_OR_RAISE(RunState state, RunState::Open(place, configuration, job.overwrite));
  ARROW_RETURN_NOT_OK(run.Stage(state));
  ARROW_RETURN_NOT_OK(run.Survey({}, clock.runtime()));
  ARROW_ASSIGN_OR_RAISE(const FitResult fitted, run.Execute(state, clock));
  ARROW_RETURN_NOT_OK(state.Remove());
  JobReport report;
  const Model& model = fitted.model;
  report.fit = JobReport::Fit{model.options, model.summary, model.dimension()};
  Complete(run.request().pool, clock, report);
  report.review = DescribeReview(run.request(), run.HasLearned(run.lineage()));
  return report;
}

arrow::Result<JobReport> RunScore(const ScoreJob& job, StageClock& clock) {
  if (UsesStandardStreams(job)) return ScoreStandardStreams(job, clock);
  ARROW_ASSIGN_OR_RAISE(ScoreRun run, ScoreRun::Prepare(job));
  ARROW_ASSIGN_OR_RAISE(Scoring scoring, run.Open(clock));
  if (run.IsDone(scoring)) {
    ARROW_RETURN_NOT_OK(scoring.MarkSuccess());
    return scoring.ReportUpToDate(run.input(), clock);
  }
  ARROW_RETURN_NOT_OK(run.Stage(scoring));
  ARROW_RETURN_NOT_OK(run.Survey(clock.runtime()));
  return run.Execute(scoring, clock);
}

arrow::Result<JobReport> RunClean(const CleanJob& job, StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(CleanRun run, CleanRun::Prepare(job));
  ARROW_ASSIGN_OR_RAISE(std::optional<JobReport> finished, run.Open(clock));
  if (finished) {
    ARROW_RETURN_NOT_OK(run.MarkSuccess());
    return *std::move(finished);
  }
  ARROW_RETURN_NOT_OK(run.Survey(clock.runtime()));
  ARROW_RETURN_NOT_OK(run.Fit(clock));
  ARROW_RETURN_NOT_OK(run.Score(clock));
  ARROW_RETURN_NOT_OK(run.Explain(clock));
  ARROW_RETURN_NOT_OK(run.Watch(clock));
  return run.Finish(clock);
}

// Runs with exceptions caught, and a clock of its own.
template <typename Job, typename Work>
auto Guarded(const Job& job, const Runtime& runtime, Work work) {
  return CatchExceptions([&] {
    StageClock clock(runtime);
    return work(job, clock);
  });
}

}  // namespace

arrow::Result<JobReport> Run(const FitJob& job, const Runtime& runtime) {
  return Guarded(job, runtime, RunFit);
}

arrow::Result<JobReport> Run(const ScoreJob& job, const Runtime& runtime) {
  return Guarded(job, runtime, RunScore);
}

arrow::Result<JobReport> Run(const CleanJob& job, const Runtime& runtime) {
  return Guarded(job, runtime, RunClean);
}

arrow::Result<ReviewReport> Run(const ReviewJob& job, const Runtime& runtime, const Model* model) {
  return Guarded(job, runtime, [&](const ReviewJob& described, StageClock& clock) {
    return RunReview(described, model, clock);
  });
}

arrow::Result<ReviewReport> ReviewStreams(arrow::RecordBatchReader* trusted,
                                          arrow::RecordBatchReader& pool, const ReviewJob& job,
                                          const Model* model, const Runtime& runtime) {
  return Guarded(job, runtime, [&](const ReviewJob& described, StageClock& clock) {
    return ReviewRows(trusted, pool, described, model, clock);
  });
}

arrow::Result<MonitorReport> Run(const MonitorJob& job, const Runtime& runtime) {
  return Guarded(job, runtime, [](const MonitorJob& described, StageClock& clock) {
    return WatchBatch(described, clock);
  });
}

arrow::Result<MonitorReport> Run(const MonitorJob& job, const Model& model,
                                 arrow::RecordBatchReader* rows, const Runtime& runtime) {
  return Guarded(job, runtime, [&](const MonitorJob& described, StageClock& clock) {
    return WatchBatch(described, model, rows, clock);
  });
}

arrow::Result<Evaluation> Run(const EvaluateJob& job, const Runtime& runtime) {
  ARROW_ASSIGN_OR_RAISE(const Source input,
                        Source::List({job.input, "input", job.all_files}, OnBadFile::kError));
  return Evaluate(input, job.truth, job.score, runtime);
}

arrow::Result<JobPlan> Plan(const FitJob& job, const Runtime& runtime) {
  return Guarded(job, runtime, PlanFit);
}

arrow::Result<JobPlan> Plan(const ScoreJob& job, const Runtime& runtime) {
  return Guarded(job, runtime, PlanScore);
}

arrow::Result<JobPlan> Plan(const CleanJob& job, const Runtime& runtime) {
  return Guarded(job, runtime, PlanClean);
}

arrow::Result<std::shared_ptr<const CleanResult>> CleanFiles(const CleanJob& job,
                                                             const Runtime& runtime) {
  using Result = arrow::Result<std::shared_ptr<const CleanResult>>;
  return Guarded(job, runtime, [](const CleanJob& described, StageClock& clock) -> Result {
    ARROW_ASSIGN_OR_RAISE(CleanRun run, CleanRun::Prepare(described));
    ARROW_RETURN_NOT_OK(run.Survey(clock.runtime()));
    return std::move(run).CleanInMemory(clock);
  });
}

arrow::Result<std::shared_ptr<const CleanResult>> CleanStreams(arrow::RecordBatchReader& trusted,
                                                               arrow::RecordBatchReader& pool,
                                                               const OpenRows& reopen,
                                                               const CleanJob& job,
                                                               const Runtime& runtime) {
  using Result = arrow::Result<std::shared_ptr<const CleanResult>>;
  return Guarded(job, runtime, [&](const CleanJob& described, StageClock& clock) -> Result {
    return CleanRows(trusted, pool, reopen, described, clock);
  });
}

arrow::Result<FittedModel> FitModel(const FitJob& job, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<FittedModel> {
    StageClock clock(runtime);
    ARROW_RETURN_NOT_OK(job.options.Validate());
    ARROW_ASSIGN_OR_RAISE(FitRequest request, MakeFitRequest(job));
    ARROW_RETURN_NOT_OK(request.Survey({}, runtime));
    ARROW_ASSIGN_OR_RAISE(FitResult fit, Fit(request, /*checkpoint=*/nullptr, clock));
    return FittedModel{std::move(fit.model), request.pool.bad_files().skipped()};
  });
}

}  // namespace spuna
