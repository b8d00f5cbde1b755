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
  job.fit.overwrite |= job.refit;
  ARROW_ASSIGN_OR_RAISE(FitRun fit, FitRun::Prepare(job.fit));
  ARROW_RETURN_NOT_OK(fit.pool().ChooseLayout(job.output, job.dropped));
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
  // A directory is added to later: by other files, and with other findings.
  const bool is_file = run.IsInMemory() || run.request().pool.IsSingleFile();
  run.configuration_ = DescribeResult(options, /*extras=*/is_file);
  if (is_file) {
    run.configuration_.update(run.fit_.DescribeInputs());
  } else {
    ARROW_ASSIGN_OR_RAISE(const nlohmann::json trusted, run.fit_.DescribeTrusted());
    run.configuration_.update(trusted);
  }
  run.configuration_["command"] = "clean";
  run.configuration_["by"] = ToWord(run.scoring_options_.by);
  return run;
}

arrow::Result<std::optional<JobReport>> CleanRun::Open(StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(Scoring scoring,
                        Scoring::Open(request().pool, targets(), scoring_options_, configuration_));
  scoring_ = std::make_unique<Scoring>(std::move(scoring));
  if (scoring_->directory() == nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto opened,
                          RunState::Open(StatePlace(), configuration_, job_.fit.overwrite));
    state_beside_ = std::make_unique<RunState>(std::move(opened));
  } else {
    if (fit_.HasReviews()) {
      ARROW_RETURN_NOT_OK(fit_.PlaceReviews(clock.runtime()));
      scoring_->DecideBy(request().pool_reviews.get());
    }
    ARROW_RETURN_NOT_OK(scoring_->Compare(request().pool, clock));
    explains_all_ = scoring_->IsUpToDate();
    if (explains_all_ && explanation_.WasWritten(scoring_->manifest())) {
      return scoring_->ReportUpToDate(request().pool, clock);
    }
    ARROW_RETURN_NOT_OK(ChooseModel());
  }
  ARROW_RETURN_NOT_OK(scoring_->Stage(&state()));
  if (!kept_) ARROW_RETURN_NOT_OK(fit_.Stage(state()));
  ARROW_RETURN_NOT_OK(explanation_.Stage(&state(), job_.fit.overwrite, scoring_->manifest()));
  return std::nullopt;
}

arrow::Status CleanRun::ChooseModel() {
  const OutputDirectory& directory = *scoring_->directory();
  const nlohmann::json* const manifest = scoring_->manifest();
  kept_ = FitRun::FindModel(directory.state(), manifest);
  if (manifest != nullptr && !kept_) {
    return arrow::Status::IOError("`out`: ", directory.target().string(),
                                  ": the model that it was scored with is gone or damaged (",
                                  directory.state().PathOf(OutputDirectory::kModel).string(),
                                  "); put it back or add `--refit`");
  }
  if (!kept_) return arrow::Status::OK();
  // A run that was stopped after its fit: findings need the rows that were fitted, so it fits again
  // from its last round.
  if (manifest == nullptr && fit_.IsOfThisPool(*kept_)) {
    kept_.reset();
    return arrow::Status::OK();
  }
  // Without new files the findings are of all files.
  if (!explains_all_) fit_.pool().LeaveAlone(scoring_->UnchangedFiles(request().pool));
  return arrow::Status::OK();
}

arrow::Status CleanRun::Survey(const Runtime& runtime) {
  auto check = [&](const arrow_io::ParquetInput& file) -> arrow::Status {
    // Rows that are streamed have the columns of all files, which are known later.
    if (IsInMemory() && scoring_options_.columns) return arrow::Status::OK();
    return CheckScoreColumns(*file.schema(), file.name(), scoring_options_, file.partitions());
  };
  if (kept_) {
    const FitOptions& options = kept_->model.options;
    ARROW_RETURN_NOT_OK(
        fit_.pool().Survey({job_.fit.options.embedding, options.embedding}, check, runtime));
  } else {
    ARROW_RETURN_NOT_OK(fit_.Survey(check, runtime));
  }
  if (request().pool.num_rows() == 0) return arrow::Status::OK();
  return explanation_.CheckColumns(request().pool, NeedsFindings());
}

arrow::Status CleanRun::Fit(StageClock& clock) {
  if (kept_) {
    fitted_.model = kept_->model;
    report_.model_warnings = WarningsOfModel(fitted_.model.summary, fitted_.model.decision,
                                             fitted_.model.LacksDistance());
    return fit_.WriteKept(*kept_);
  }
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
  scoring_->DecideBy(request().pool_reviews.get());
  ARROW_ASSIGN_OR_RAISE(report_.score,
                        scoring_->Score(request().pool, fitted_.model, kept_.has_value(), clock));
  report_.update = scoring_->DescribeUpdate();
  return arrow::Status::OK();
}

arrow::Status CleanRun::Explain(StageClock& clock) {
  if (!job_.NeedsPoolPass()) return arrow::Status::OK();
  // Where all new files are bad there is nothing to explain.
  if (request().pool.num_rows() == 0) return arrow::Status::OK();
  return explanation_.Write({.pool = request().pool,
                             .model = fitted_.model,
                             .fit = kept_ ? nullptr : &fitted_,
                             .scoring = scoring_options_,
                             .reviews = request().pool_reviews.get(),
                             .is_part = kept_.has_value() && !explains_all_},
                            &state(), report_, clock);
}

arrow::Status CleanRun::Watch(StageClock& clock) {
  return scoring_->Watch(fit_.pool(), fitted_.model, report_, clock).Value(&watch_);
}

arrow::Result<JobReport> CleanRun::Finish(StageClock& clock) {
  nlohmann::json lineage = {
      {"fit", kept_ ? kept_->lineage : fit_.lineage()},
      {"inputs", {{"trusted", request().trusted.Root()}, {"pool", request().pool.Root()}}},
      {"findings", explanation_.Describe()},
      {"watch", watch_}};
  if (fit_.HasReviews()) lineage["reviewed"] = request().reviewed.hash;
  ARROW_RETURN_NOT_OK(
      scoring_->Finish(request().pool, fitted_.model, lineage, state_beside_.get(), clock));
  if (state_beside_) ARROW_RETURN_NOT_OK(state_beside_->Remove());
  Complete(request().pool, clock, report_);
  report_.review = DescribeReview(request(), fit_.HasLearned(lineage.at("fit")));
  return std::move(report_);
}

}  // namespace spuna
