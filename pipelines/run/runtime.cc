#include "pipelines/run/runtime.h"

#include <arrow/config.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/thread_pool.h>

#include <string>

#include "algorithms/compute/blas.h"

namespace spuna {
namespace {

const char* StageName(algorithms::Stage stage) {
  switch (stage) {
    case algorithms::Stage::kCrossFit:
      return "cross_fit";
    case algorithms::Stage::kSeed:
      return "seed";
    case algorithms::Stage::kExpand:
      return "expand";
    case algorithms::Stage::kEntropy:
      return "entropy";
    case algorithms::Stage::kNeighborScore:
      return "neighbor_score";
    case algorithms::Stage::kDistill:
      break;
  }
  return "distill";
}

}  // namespace

arrow::Status Runtime::CheckStop() const {
  return ShouldStop() ? arrow::Status::Cancelled("interrupted") : arrow::Status::OK();
}

algorithms::Execution Runtime::MakeExecution() const {
  algorithms::Execution execution;
  execution.num_threads = num_threads;
  execution.should_stop = should_stop;
  return execution;
}

void StageClock::Expect(const std::vector<std::string>& stages) {
  for (const std::string& stage : stages) seconds_.try_emplace(stage, 0);
}

void StageClock::Report(const std::string& stage, double done, std::int64_t rows) {
  if (stage != stage_) {
    Pause();
    stage_ = stage;
    stage_started_ = Clock::now();
  }
  if (runtime_.on_progress) runtime_.on_progress(stage, done, rows);
}

void StageClock::Pause() {
  if (stage_.empty()) return;
  seconds_[stage_] += std::chrono::duration<double>(Clock::now() - stage_started_).count();
  stage_.clear();
}

std::map<std::string, double> StageClock::Seconds() {
  Pause();
  std::map<std::string, double> seconds = seconds_;
  seconds["total"] = std::chrono::duration<double>(Clock::now() - started_).count();
  return seconds;
}

algorithms::Execution StageClock::Execution() {
  algorithms::Execution execution = runtime_.MakeExecution();
  execution.on_progress = [this](const algorithms::Progress& progress) {
    const double done = progress.total == 0 ? -1
                                            : static_cast<double>(progress.done) /
                                                  static_cast<double>(progress.total);
    Report(StageName(progress.stage), done);
  };
  return execution;
}

arrow::Status StartProcess(int num_threads) {
  algorithms::ChooseBlasKernels();
  ARROW_RETURN_NOT_OK(arrow::SetCpuThreadPoolCapacity(num_threads));
  return arrow::io::SetIOThreadPoolCapacity(num_threads);
}

std::string SpunaVersion() { return SPUNA_VERSION; }

std::map<std::string, std::string> Versions() {
  return {{"spuna", SpunaVersion()},
          {"arrow", arrow::GetBuildInfo().version_string},
          {"mlpack", algorithms::MlpackVersion()},
          {"armadillo", algorithms::ArmadilloVersion()},
          {"openblas", algorithms::OpenBlasVersion()}};
}

}  // namespace spuna
