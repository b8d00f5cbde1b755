#include "pipelines/jobs.h"

#include <arrow/record_batch.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "arrow_io/input_files.h"
#include "arrow_io/ipc_stream.h"
#include "arrow_io/parquet_stream.h"
#include "arrow_io/staged_output.h"
#include "pipelines/exception_status.h"
#include "pipelines/fit.h"
#include "pipelines/label_output.h"
#include "pipelines/memory.h"
#include "pipelines/option_words.h"
#include "pipelines/score_output.h"
#include "pipelines/streams.h"

namespace spuna {
namespace {

using arrow_io::InputFiles;
using arrow_io::StagedOutput;

// The outputs of a job: none may touch an input or another output, and all appear at the end.
class Outputs {
 public:
  explicit Outputs(bool overwrite) : overwrite_(overwrite) {}

  void AddInputs(const std::vector<std::string>& paths, const std::string& option) {
    for (const std::string& path : paths) taken_.push_back({path, option});
  }

  // The returned output lives as long as this object.
  arrow::Result<const StagedOutput*> Add(const std::string& path, const std::string& option,
                                         StagedOutput::Kind kind = StagedOutput::Kind::kFile) {
    if (path.empty()) return arrow::Status::Invalid("`", option, "` names no file");
    ARROW_RETURN_NOT_OK(arrow_io::CheckApart(path, option, taken_));
    ARROW_ASSIGN_OR_RAISE(auto output, StagedOutput::Create({path, kind, overwrite_, option}));
    taken_.push_back({path, option});
    outputs_.push_back(std::make_unique<StagedOutput>(std::move(output)));
    return outputs_.back().get();
  }

  arrow::Status Commit() {
    // Whatever can be known to fail fails before the first one has its name.
    for (const auto& output : outputs_) ARROW_RETURN_NOT_OK(output->Check());
    for (const auto& output : outputs_) ARROW_RETURN_NOT_OK(output->Commit());
    return arrow::Status::OK();
  }

 private:
  std::vector<arrow_io::TakenPath> taken_;
  bool overwrite_;
  std::vector<std::unique_ptr<StagedOutput>> outputs_;
};

StagedOutput::Kind KindFor(const InputFiles& input) {
  return input.is_single_file ? StagedOutput::Kind::kFile : StagedOutput::Kind::kDirectory;
}

// The part that fitting and cleaning share.
class FitRun {
 public:
  static arrow::Result<FitRun> Prepare(const FitJob& job) {
    FitRun run;
    ARROW_RETURN_NOT_OK(job.options.Validate());
    ARROW_ASSIGN_OR_RAISE(run.request_.trusted, arrow_io::ListInputFiles(job.trusted, "trusted"));
    ARROW_ASSIGN_OR_RAISE(run.request_.pool, arrow_io::ListInputFiles(job.pool, "pool"));
    run.request_.options = job.options;
    run.request_.force = job.force;
    run.request_.extras.keep_banks = job.keep_banks;
    run.request_.extras.neighbor_scores = job.labels.has_value();
    run.label_options_.prefix = job.prefix;
    run.label_options_.invalid = job.options.invalid;
    run.outputs_ = std::make_unique<Outputs>(job.overwrite);
    run.outputs_->AddInputs(job.trusted, "trusted");
    run.outputs_->AddInputs(job.pool, "pool");
    if (job.labels) {
      ARROW_ASSIGN_OR_RAISE(run.labels_, run.outputs_->Add(*job.labels, "labels"));
      // What the labels can't be written for is found out before the work, not after it.
      ARROW_ASSIGN_OR_RAISE(run.label_options_.embedding, ResolvePoolEmbedding(run.request_));
      ARROW_RETURN_NOT_OK(CheckLabelColumns(run.request_.pool, run.label_options_));
    }
    if (job.model) {
      ARROW_ASSIGN_OR_RAISE(run.model_, run.outputs_->Add(*job.model, "model"));
    }
    return run;
  }

  const InputFiles& pool() const { return request_.pool; }
  Outputs& outputs() { return *outputs_; }

  // Fits, and writes the labels and the model where they are asked for.
  arrow::Result<FitResult> Execute(StageClock& clock) const {
    clock.Expect({"read", "seed", "expand", "entropy", "distill", "write"});
    ARROW_ASSIGN_OR_RAISE(FitResult fit, Fit(request_, clock));
    if (labels_ != nullptr) {
      ARROW_RETURN_NOT_OK(WriteLabels(request_.pool, fit, label_options_, *labels_, clock));
    }
    if (model_ != nullptr) {
      clock.Report("write");
      ARROW_RETURN_NOT_OK(WriteModel(fit.model, *model_));
    }
    clock.Pause();
    return fit;
  }

 private:
  FitRequest request_;
  LabelOptions label_options_;
  std::unique_ptr<Outputs> outputs_;
  const StagedOutput* labels_ = nullptr;
  const StagedOutput* model_ = nullptr;
};

JobReport::Fit ReportFit(const Model& model) {
  return {model.options, model.summary, model.dimension()};
}

arrow::Result<JobReport::Score> Score(const InputFiles& input, const Model& model,
                                      const ScoreOptions& options, const StagedOutput& output,
                                      StageClock& clock) {
  ARROW_ASSIGN_OR_RAISE(const ScoreResult result,
                        WriteScores(input, model, options, output, clock));
  return JobReport::Score{result.counts, model.threshold, result.files.size(), options.by,
                          options.drop};
}

// The name of standard input and output.
constexpr const char* kStandard = "-";

bool UsesStandardStreams(const ScoreJob& job) {
  return job.output == kStandard || std::ranges::find(job.input, kStandard) != job.input.end();
}

arrow::Result<JobReport> ScoreStandardStreams(const ScoreJob& job, StageClock& clock) {
  const bool reads_standard_input = job.input == std::vector<std::string>{kStandard};
  if (job.output != kStandard) {
    return arrow::Status::Invalid("`input`: '-', an Arrow IPC stream on standard input, needs '-' ",
                                  "as `out`");
  }
  ARROW_ASSIGN_OR_RAISE(Model loaded, LoadModel(job.model));
  const auto model = std::make_shared<const Model>(std::move(loaded));
  std::shared_ptr<arrow::RecordBatchReader> input;
  if (reads_standard_input) {
    ARROW_ASSIGN_OR_RAISE(input, arrow_io::ReadStandardInput(clock.runtime().should_stop));
  } else {
    ARROW_ASSIGN_OR_RAISE(const InputFiles files, arrow_io::ListInputFiles(job.input, "input"));
    ARROW_ASSIGN_OR_RAISE(input, arrow_io::StreamParquet(files, {}));
  }
  clock.Report("score");
  RowCounts counts;
  ARROW_ASSIGN_OR_RAISE(const auto scored, ScoreStream(std::move(input), model, job.options,
                                                       clock.runtime(), &counts));
  ARROW_RETURN_NOT_OK(arrow_io::WriteStandardOutput(*scored));
  JobReport report;
  report.score = JobReport::Score{counts, model->threshold, 0, job.options.by, job.options.drop};
  report.seconds = clock.Seconds();
  report.peak_memory_bytes = PeakMemoryBytes();
  return report;
}

// Gives the outputs their names and completes the report.
arrow::Result<JobReport> Finish(JobReport report, Outputs& outputs, StageClock& clock) {
  if (clock.runtime().ShouldStop()) return arrow::Status::Cancelled("interrupted");
  ARROW_RETURN_NOT_OK(outputs.Commit());
  report.seconds = clock.Seconds();
  report.peak_memory_bytes = PeakMemoryBytes();
  return report;
}

}  // namespace

arrow::Result<JobReport> Run(const FitJob& job, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<JobReport> {
    StageClock clock(runtime);
    JobReport report;
    ARROW_ASSIGN_OR_RAISE(FitRun run, FitRun::Prepare(job));
    ARROW_ASSIGN_OR_RAISE(const FitResult fit, run.Execute(clock));
    report.fit = ReportFit(fit.model);
    return Finish(std::move(report), run.outputs(), clock);
  });
}

arrow::Result<JobReport> Run(const ScoreJob& job, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<JobReport> {
    StageClock clock(runtime);
    JobReport report;
    ARROW_RETURN_NOT_OK(job.options.Validate());
    if (UsesStandardStreams(job)) return ScoreStandardStreams(job, clock);
    ARROW_ASSIGN_OR_RAISE(const InputFiles input, arrow_io::ListInputFiles(job.input, "input"));
    ARROW_ASSIGN_OR_RAISE(const Model model, LoadModel(job.model));
    Outputs outputs(job.options.overwrite);
    outputs.AddInputs(job.input, "input");
    outputs.AddInputs({job.model}, "model");
    ARROW_ASSIGN_OR_RAISE(const StagedOutput* output,
                          outputs.Add(job.output, "out", KindFor(input)));
    ARROW_ASSIGN_OR_RAISE(report.score, Score(input, model, job.options, *output, clock));
    return Finish(std::move(report), outputs, clock);
  });
}

arrow::Result<JobReport> Run(const CleanJob& job, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<JobReport> {
    StageClock clock(runtime);
    JobReport report;
    ScoreOptions options;
    options.embedding = job.fit.options.embedding;
    options.prefix = job.fit.prefix;
    options.invalid = job.fit.options.invalid;
    options.drop = job.drop;
    ARROW_RETURN_NOT_OK(options.Validate());
    ARROW_ASSIGN_OR_RAISE(FitRun run, FitRun::Prepare(job.fit));
    ARROW_ASSIGN_OR_RAISE(const StagedOutput* output,
                          run.outputs().Add(job.output, "out", KindFor(run.pool())));
    ARROW_RETURN_NOT_OK(CheckScoreColumns(run.pool(), options));
    ARROW_ASSIGN_OR_RAISE(const FitResult fit, run.Execute(clock));
    report.fit = ReportFit(fit.model);
    ARROW_ASSIGN_OR_RAISE(report.score, Score(run.pool(), fit.model, options, *output, clock));
    return Finish(std::move(report), run.outputs(), clock);
  });
}

arrow::Result<Evaluation> Run(const EvaluateJob& job, const Runtime& runtime) {
  ARROW_ASSIGN_OR_RAISE(const InputFiles input, arrow_io::ListInputFiles(job.input, "input"));
  return Evaluate(input, job.truth, job.score, runtime);
}

nlohmann::json ToJson(const JobReport& report) {
  nlohmann::json json = {{"seconds", report.seconds},
                         {"peak_memory_bytes", report.peak_memory_bytes}};
  if (report.fit) {
    const FitSummary& fit = report.fit->summary;
    json["recipe"] = ToWord(report.fit->options.recipe);
    json["embedding"] = report.fit->options.embedding;
    json["dimension"] = report.fit->dimension;
    json["alpha"] = fit.choices.alpha;
    json["beta"] = fit.choices.beta;
    json["k"] = fit.choices.k;
    json["seed"] = report.fit->options.seed;
    json["rows_trusted"] = fit.rows_trusted;
    json["rows_pool"] = fit.rows_pool;
    json["rows_invalid"] = fit.rows_invalid_trusted + fit.rows_invalid_pool;
    json["rows_invalid_trusted"] = fit.rows_invalid_trusted;
    json["rows_invalid_pool"] = fit.rows_invalid_pool;
    json["rows_trusted_in_pool"] = fit.rows_trusted_in_pool;
    json["chosen"] = ToJson(fit.choices);
    json["chosen"]["rule"] = ChoiceRule(report.fit->options.recipe);
    json["shift_found"] = fit.found;
    if (fit.separation) {
      json["separation"] = {{"auroc", fit.separation->auroc}, {"p_value", fit.separation->p_value}};
    }
    if (fit.share) json["share_shifted"] = {{"estimate", *fit.share}};
    json["rounds"] = fit.rounds;
    json["entropy"] = fit.entropy;
    json["stopped_by"] = fit.stopped_by;
    json["labeled"] = {{"clean", fit.labeled_clean}, {"shifted", fit.labeled_shifted}};
  }
  if (report.score) {
    const RowCounts& counts = report.score->counts;
    json["rows_in"] = counts.in;
    if (report.score->by == ScoreBy::kClassifier) {
      json["rows_kept"] = counts.kept;
      json["rows_dropped"] = counts.dropped;
      json["threshold"] = report.score->threshold;
    }
    if (!report.fit) json["rows_invalid"] = counts.invalid;
    json["files"] = report.score->num_files;
  }
  return json;
}

nlohmann::json ToJson(const Evaluation& evaluation) {
  return {{"auroc", evaluation.metrics.auroc},
          {"aupr", evaluation.metrics.aupr},
          {"fpr95", evaluation.metrics.fpr95},
          {"rows", evaluation.rows},
          {"rows_skipped", evaluation.rows_skipped}};
}

}  // namespace spuna
