#include "pipelines/run/runtime.h"

#include <arrow/config.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/thread_pool.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "algorithms/compute/blas.h"
#include "pipelines/options/options.h"
#include "pipelines/run/system_memory.h"

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

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
// What a program needs besides its threads' own, and what these need: for each that computes there
// is one that reads and writes, and either has a stack and a heap of 64 MB.
constexpr std::size_t kOwnBytes = 256 * kMegabyte;
constexpr std::size_t kThreadBytes = 2 * 72 * kMegabyte;

arrow::Status TooFewAddresses(std::size_t needed, int num_threads) {
  const double free = FreeAddressSpace();
  const std::string found =
      std::isfinite(free) ? "its limit (`ulimit -v`) leaves it " +
                                std::to_string(static_cast<std::size_t>(free) / kMegabyte) + " MB"
                          : "the system does not give it that much (see vm.overcommit_memory)";
  return arrow::Status::OutOfMemory(
      "expected ", needed / kMegabyte, " MB of address space for ", num_threads,
      num_threads == 1 ? " thread, but " : " threads, but ", found, "; raise the limit",
      num_threads == 1 ? "" : " or use fewer `--threads`");
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

arrow::Status ReserveForThreads(int num_threads) {
  // Plans may have more threads; OpenBLAS has no buffers for those.
  const auto num_buffers = static_cast<std::size_t>(std::clamp(num_threads, 1, kMaxThreads));
  if (algorithms::ReserveBlasBuffers(num_buffers)) return arrow::Status::OK();
  return TooFewAddresses(num_buffers * algorithms::kBlasBufferBytes, num_threads);
}

arrow::Status StartProcess(int num_threads) {
  algorithms::ChooseBlasKernels();
  // Besides its buffer a thread has a stack and a heap. Where there is no room for these, libraries
  // crash; where there is hardly any, a run fails in the middle.
  const std::size_t needed = kOwnBytes + static_cast<std::size_t>(num_threads) *
                                             (kThreadBytes + algorithms::kBlasBufferBytes);
  if (FreeAddressSpace() < static_cast<double>(needed)) return TooFewAddresses(needed, num_threads);
  ARROW_RETURN_NOT_OK(ReserveForThreads(num_threads));
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
