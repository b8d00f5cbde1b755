#include "pipelines/jobs/score_run.h"

#include <utility>

#include "pipelines/options/option_list.h"
#include "pipelines/run/job_paths.h"
#include "pipelines/score/batch_scorer.h"

namespace spuna {

arrow::Result<ScoreRun> ScoreRun::Prepare(const ScoreJob& job) {
  ARROW_RETURN_NOT_OK(job.Validate());
  ARROW_ASSIGN_OR_RAISE(Source input, Source::List({job.input, "input", job.all_files, job.base},
                                                   job.on_bad_file, job.max_bad_files));
  ARROW_RETURN_NOT_OK(input.ChooseLayout(job.output, job.dropped));
  ARROW_ASSIGN_OR_RAISE(Model model, LoadModel(job.model));
  JobPaths paths;
  ARROW_RETURN_NOT_OK(paths.AddInputs(job.input, "input"));
  ARROW_RETURN_NOT_OK(paths.AddInputs({job.model}, "model"));
  ARROW_RETURN_NOT_OK(paths.AddOutput(job.output, "out"));
  if (job.dropped) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.dropped, "dropped"));
  if (job.reasons) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.reasons, "reasons"));
  if (job.report) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.report, "report"));
  ScoreRun run(job, std::move(input), std::move(model));
  CommandOptions options;
  options.job = job;
  run.configuration_ = DescribeResult(options, /*extras=*/false);
  run.configuration_.update({{"command", "score"}, {"model", ModelHash(run.model_)}});
  return run;
}

arrow::Result<Scoring> ScoreRun::Open(StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(Scoring scoring,
                        Scoring::Open(input_, targets(), job_.options, configuration_));
  ARROW_RETURN_NOT_OK(scoring.Compare(input_, clock));
  // Without new files the findings are of all files.
  explains_all_ = scoring.IsUpToDate();
  if (!explains_all_) input_.LeaveAlone(scoring.UnchangedFiles(input_));
  return scoring;
}

bool ScoreRun::IsDone(const Scoring& scoring) const {
  return scoring.IsUpToDate() && explanation_.WasWritten(scoring.manifest());
}

arrow::Status ScoreRun::Stage(Scoring& scoring) {
  ARROW_RETURN_NOT_OK(scoring.Stage(/*state=*/nullptr));
  return explanation_.Stage(StateIn(scoring), job_.options.overwrite, scoring.manifest());
}

arrow::Status ScoreRun::Survey(const Runtime& runtime) {
  auto check = [&](const arrow_io::ParquetInput& file) {
    return CheckScoreColumns(*file.schema(), file.name(), job_.options, file.partitions());
  };
  ARROW_RETURN_NOT_OK(
      input_.Survey({job_.options.embedding, model_.options.embedding}, check, runtime));
  if (input_.num_rows() == 0) return arrow::Status::OK();
  return explanation_.CheckColumns(input_, job_.NeedsPoolPass());
}

arrow::Result<JobReport> ScoreRun::Execute(Scoring& scoring, StageClock& clock) {
  JobReport report;
  ARROW_ASSIGN_OR_RAISE(report.score, scoring.Score(input_, model_, /*after_fit=*/false, clock));
  report.update = scoring.DescribeUpdate();
  if (report.score->by == ScoreBy::kClassifier) {
    report.model_warnings =
        WarningsOfModel(model_.summary, report.score->decision, model_.LacksDistance());
  }
  // Where all new files are bad there is nothing to explain.
  if (job_.NeedsPoolPass() && input_.num_rows() > 0) {
    const bool is_part = scoring.IsUpdate() && !explains_all_;
    ARROW_RETURN_NOT_OK(explanation_.Write(
        {.pool = input_, .model = model_, .scoring = job_.options, .is_part = is_part},
        StateIn(scoring), report, clock));
  }
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json watch, scoring.Watch(input_, model_, report, clock));
  const nlohmann::json lineage = {{"inputs", {{"input", input_.Root()}}},
                                  {"findings", explanation_.Describe()},
                                  {"watch", watch}};
  ARROW_RETURN_NOT_OK(scoring.Finish(input_, model_, lineage, /*state=*/nullptr, clock));
  Complete(input_, clock, report);
  return report;
}

}  // namespace spuna
