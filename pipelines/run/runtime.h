#pragma once

#include <arrow/status.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "algorithms/compute/execution.h"

namespace spuna {

/// How a pipeline runs and whom it reports to. No result depends on it.
struct Runtime {
  int num_threads = 1;
  /// Asked from any thread, often; true ends the work with Status::Cancelled. May be empty.
  std::function<bool()> should_stop;
  /// Called with the name of the running stage ("read", "seed", …), how much of it is done, from 0
  /// to 1, or below 0 where nobody knows, and how many rows that are, 0 where it is not about rows.
  /// From one thread. May be empty.
  std::function<void(const std::string& stage, double done, std::int64_t rows)> on_progress;

  bool ShouldStop() const { return should_stop && should_stop(); }
  /// Status::Cancelled where the work should end.
  arrow::Status CheckStop() const;

  /// For the algorithms: threads and stop, no progress.
  algorithms::Execution MakeExecution() const;
  /// The same without anyone to report progress to.
  Runtime Quiet() const { return {num_threads, should_stop, {}}; }
};

/// The stages of a run as they go by: passes them on to the listener, and adds up the seconds of
/// each.
class StageClock {
 public:
  explicit StageClock(const Runtime& runtime) : runtime_(runtime), started_(Clock::now()) {}

  /// Names stages that Seconds() lists even if they never run.
  void Expect(const std::vector<std::string>& stages);

  /// Reports that `stage` runs from now on, or how far it has come, as Runtime::on_progress has it.
  void Report(const std::string& stage, double done = -1, std::int64_t rows = 0);

  /// Ends the running stage.
  void Pause();

  /// Seconds a stage, and "total" since the start. Pauses.
  std::map<std::string, double> Seconds();

  /// For the algorithms: reports their stages here.
  algorithms::Execution Execution();

  const Runtime& runtime() const { return runtime_; }

 private:
  using Clock = std::chrono::steady_clock;

  const Runtime& runtime_;
  Clock::time_point started_;
  Clock::time_point stage_started_;
  std::string stage_;
  std::map<std::string, double> seconds_;
};

/// Makes sure that the process has the addresses which products on so many threads need, 128 MB
/// each, and says what is missing where it does not: without them a product would wait for ever.
/// For every door, before it multiplies; may be called often, and from any thread.
arrow::Status ReserveForThreads(int num_threads);

/// Sets up a process that is spuna's own: one budget of threads for Arrow's pools, OpenBLAS on the
/// kernels that fit the CPU, and addresses for its threads. To be called once, when a program
/// starts, before any other thread.
arrow::Status StartProcess(int num_threads);

/// The version of spuna, such as "0.1.0".
std::string SpunaVersion();

/// The versions of spuna and of what it stands on, by name.
std::map<std::string, std::string> Versions();

}  // namespace spuna
