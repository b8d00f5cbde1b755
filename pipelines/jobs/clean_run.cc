#include "pipelines/jobs/clean_run.h"

#include <utility>

#include "pipelines/options/option_list.h"
#include "pipelines/options/option_words.h"
#include "pipelines/score/batch_scorer.h"
#include "pipelines/source/source_stream.h"

namespace spuna {

arrow::Result<CleanRun> CleanRun::Prepare(CleanJob job) {
  ARROW_RETURN_NOT_OK(job.Validate());
  job.fit.options = job.Fitting();
  ARROW_ASSIGN_OR_RAISE(FitRun fit, FitRun::Prepare(job.fit));
  JobPaths& paths = fit.paths();
  if (!job.output.empty()) ARROW_RETURN_NOT_OK(paths.AddOutput(job.output, "out"));
  if (job.dropped) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.dropped, "dropped"));
  if (job.reasons) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.reasons, "reasons"));
  if (job.report) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.report, "report"));
  CommandOptions options;
  options.job = job;
  CleanRun run(std::move(job), std::move(fit));
  const bool shows_ids = run.job_.reasons || run.job_.report || run.IsInMemory();
  if (run.NeedsFindings()) run.fit_.WantFindings(shows_ids, run.job_.id);
  run.configuration_ = DescribeResult(options);
  run.configuration_.update(run.fit_.DescribeInputs());
  run.configuration_["command"] = "clean";
  run.configuration_["by"] = ToWord(run.scoring_options_.by);
  return run;
}

arrow::Result<std::optional<JobReport>> CleanRun::Open(StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(Scoring scoring,
                        Scoring::Open(request().pool, targets(), scoring_options_, configuration_));
  scoring_ = std::make_unique<Scoring>(std::move(scoring));
  std::optional<JobReport> finished = scoring_->Finished(clock);
  if (finished) return finished;
  if (scoring_->directory() == nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto opened,
                          RunState::Open(StatePlace(), configuration_, job_.fit.overwrite));
    state_beside_ = std::make_unique<RunState>(std::move(opened));
  }
  ARROW_RETURN_NOT_OK(scoring_->Stage(&state()));
  ARROW_RETURN_NOT_OK(fit_.Stage(state()));
  ARROW_RETURN_NOT_OK(explanation_.Stage(state()));
  return std::nullopt;
}

arrow::Status CleanRun::Survey(const Runtime& runtime) {
  ARROW_RETURN_NOT_OK(fit_.Survey(
      [&](const arrow_io::ParquetInput& file) -> arrow::Status {
        // Rows that are streamed have the columns of all files, which are known later.
        if (!IsInMemory() || !scoring_options_.columns) {
          ARROW_RETURN_NOT_OK(
              CheckScoreColumns(*file.schema(), file.name(), scoring_options_, file.partitions()));
        }
        return NeedsFindings() ? explanation_.Check(file) : arrow::Status::OK();
      },
      runtime));
  return explanation_.CheckPictures(request().pool);
}

arrow::Status CleanRun::Fit(StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(fitted_, fit_.Execute(state(), clock));
  const Model& model = fitted_.model;
  report_.fit = JobReport::Fit{model.options, model.summary, model.dimension()};
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<const CleanResult>> CleanRun::CleanInMemory(StageClock& clock) && {
  ARROW_ASSIGN_OR_RAISE(const auto columns, ColumnsOfStream(request().pool));
  ARROW_RETURN_NOT_OK(CheckScoreColumns(*columns, request().pool.name(), scoring_options_));
  ARROW_ASSIGN_OR_RAISE(FitResult fit, spuna::Fit(request(), /*checkpoint=*/nullptr, clock));
  CleanResult::Input input;
  input.files = std::make_shared<const FitRequest>(std::move(fit_).TakeRequest());
  input.open = [files = input.files] { return OpenSourceStream(files->pool); };
  input.pool = std::make_shared<const FilePool>(input.files->pool, /*may_skip=*/true);
  return CleanResult::Make(job_, std::move(input), std::move(fit), clock);
}

arrow::Status CleanRun::Score(StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(report_.score, scoring_->Score(request().pool, fitted_.model, clock));
  return arrow::Status::OK();
}

arrow::Status CleanRun::Explain(StageClock& clock) {
  if (!job_.NeedsPoolPass()) return arrow::Status::OK();
  return explanation_.Write({request(), fitted_, scoring_options_}, state(), report_, clock);
}

arrow::Result<JobReport> CleanRun::Finish(StageClock& clock) {
  ARROW_RETURN_NOT_OK(scoring_->Finish(request().pool, fitted_.model, state_beside_.get(), clock));
  if (state_beside_) ARROW_RETURN_NOT_OK(state_beside_->Remove());
  Complete(request().pool, clock, report_);
  return std::move(report_);
}

}  // namespace spuna
