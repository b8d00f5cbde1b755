#include "pipelines/jobs/standard_streams.h"

#include <arrow/record_batch.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "arrow_io/ipc_stream.h"
#include "pipelines/run/system_memory.h"
#include "pipelines/score/batch_scorer.h"
#include "pipelines/score/streams.h"
#include "pipelines/source/source_stream.h"

namespace spuna {
namespace {

// The name of standard input and output.
constexpr const char* kStandard = "-";

}  // namespace

bool UsesStandardStreams(const ScoreJob& job) {
  return job.output == kStandard || std::ranges::find(job.input, kStandard) != job.input.end();
}

arrow::Result<JobReport> ScoreStandardStreams(const ScoreJob& job, StageClock& clock) {
  ARROW_RETURN_NOT_OK(job.Validate());
  const bool reads_standard_input = job.input == std::vector<std::string>{kStandard};
  if (job.output != kStandard) {
    return arrow::Status::Invalid("`input`: '-', an Arrow IPC stream on standard input, needs '-' ",
                                  "as `out`");
  }
  if (job.dropped) {
    return arrow::Status::Invalid("`dropped` is for files; a stream has one output");
  }
  const std::pair<const char*, bool> second_pass[] = {{"reasons", job.reasons.has_value()},
                                                      {"report", job.report.has_value()},
                                                      {"group-by", !job.group_by.empty()}};
  for (const auto& [option, is_set] : second_pass) {
    if (!is_set) continue;
    return arrow::Status::Invalid("`", option, "` reads the rows once more when they are scored, ",
                                  "and '-' as `out` is a stream; name a file or a directory as ",
                                  "`out`");
  }
  ARROW_ASSIGN_OR_RAISE(Model loaded, LoadModel(job.model));
  const auto model = std::make_shared<const Model>(std::move(loaded));
  std::shared_ptr<arrow::RecordBatchReader> input;
  if (reads_standard_input) {
    ARROW_ASSIGN_OR_RAISE(input, arrow_io::ReadStandardInput(clock.runtime().should_stop));
  } else {
    ARROW_ASSIGN_OR_RAISE(input, OpenSourceStream({job.input, "input", job.all_files}, {}));
  }
  clock.Report("score");
  RowCounts counts;
  ARROW_ASSIGN_OR_RAISE(const auto scored, ScoreStream(std::move(input), model, job.options,
                                                       clock.runtime(), &counts));
  ARROW_RETURN_NOT_OK(arrow_io::WriteStandardOutput(*scored));
  JobReport report;
  ARROW_ASSIGN_OR_RAISE(const Decision decision, DecideFor(*model, job.options));
  report.score = JobReport::Score{counts, decision, 0, job.options.by, job.options.drop};
  report.seconds = clock.Seconds();
  report.peak_memory_bytes = PeakMemoryBytes();
  return report;
}

}  // namespace spuna
