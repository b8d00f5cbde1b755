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

arrow::Status ScoreRun::Survey(const Runtime& runtime) {
  auto check = [&](const arrow_io::ParquetInput& file) {
    return CheckScoreColumns(*file.schema(), file.name(), job_.options, file.partitions());
  };
  return input_.Survey({job_.options.embedding, model_.options.embedding}, check, runtime);
}

arrow::Result<JobReport> ScoreRun::Execute(Scoring& scoring, StageClock& clock) const {
  JobReport report;
  ARROW_ASSIGN_OR_RAISE(report.score, scoring.Score(input_, model_, clock));
  if (report.score->by == ScoreBy::kClassifier) {
    report.model_warnings =
        WarningsOfModel(model_.summary, report.score->decision, model_.LacksDistance());
  }
  ARROW_RETURN_NOT_OK(scoring.Finish(input_, model_, /*state=*/nullptr, clock));
  Complete(input_, clock, report);
  return report;
}

}  // namespace spuna
