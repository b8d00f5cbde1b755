#include "pipelines/jobs/score_run.h"

#include <utility>

#include "arrow_io/hash.h"
#include "pipelines/options/option_list.h"
#include "pipelines/run/job_paths.h"
#include "pipelines/score/batch_scorer.h"

namespace spuna {

arrow::Result<ScoreRun> ScoreRun::Prepare(const ScoreJob& job) {
  ARROW_RETURN_NOT_OK(job.Validate());
  ARROW_ASSIGN_OR_RAISE(Source input, Source::List(job.input, "input", job.on_bad_file));
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
  run.configuration_ = DescribeResult(options);
  run.configuration_.update({{"command", "score"},
                             {"input", run.input_.Fingerprint()},
                             {"model", arrow_io::HashDigits(SerializeModel(run.model_))},
                             {"version", SpunaVersion()}});
  return run;
}

arrow::Result<Scoring> ScoreRun::Open() const {
  return Scoring::Open(input_, targets(), job_.options, configuration_);
}

arrow::Status ScoreRun::Stage(Scoring& scoring) {
  ARROW_RETURN_NOT_OK(scoring.Stage(/*state=*/nullptr));
  return explanation_.Stage(StateOf(scoring), job_.options.overwrite);
}

arrow::Status ScoreRun::Survey(const Runtime& runtime) {
  auto check = [&](const arrow_io::ParquetInput& file) -> arrow::Status {
    ARROW_RETURN_NOT_OK(CheckScoreColumns(*file.schema(), file.name(), job_.options));
    return job_.NeedsPoolPass() ? explanation_.Check(file) : arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(
      input_.Survey({job_.options.embedding, model_.options.embedding}, check, runtime));
  return explanation_.CheckPictures(input_);
}

arrow::Result<JobReport> ScoreRun::Execute(Scoring& scoring, StageClock& clock) {
  JobReport report;
  ARROW_ASSIGN_OR_RAISE(report.score, scoring.Score(input_, model_, clock));
  if (report.score->by == ScoreBy::kClassifier) {
    report.model_warnings =
        WarningsOfModel(model_.summary, report.score->decision, model_.LacksDistance());
  }
  if (job_.NeedsPoolPass()) {
    ARROW_RETURN_NOT_OK(
        explanation_.Write({.pool = input_, .model = model_, .scoring = job_.options},
                           StateOf(scoring), report, clock));
  }
  ARROW_RETURN_NOT_OK(scoring.Finish(input_, model_, /*state=*/nullptr, clock));
  Complete(input_, clock, report);
  return report;
}

}  // namespace spuna
