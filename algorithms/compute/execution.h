#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <stdexcept>

namespace spuna::algorithms {

/// The parts of a fit, in the order in which they run.
enum class Stage { kCrossFit, kSeed, kExpand, kEntropy, kNeighborScore, kDistill };

/// How far a stage has come; `total` is 0 where nobody knows.
struct Progress {
  Stage stage;
  std::size_t done = 0;
  std::size_t total = 0;
};

/// Thrown by an algorithm whose Execution asked it to stop.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// How an algorithm runs: on how many threads, when to give up, whom to tell.
///
/// Results never depend on it.
struct Execution {
  int num_threads = 1;
  /// Asked between blocks of work, from any thread; empty means never.
  std::function<bool()> should_stop;
  /// Called from the thread that runs the algorithm only; may be empty.
  std::function<void(const Progress&)> on_progress;

  /// Throws Interrupted when `should_stop` says so.
  void CheckStop() const {
    if (should_stop && should_stop()) throw Interrupted();
  }
  void Report(const Progress& progress) const {
    if (on_progress) on_progress(progress);
  }
};

/// How far tasks of a stage that run side by side have come together. Steps may be made from any
/// thread; only those of the first worker, which is the algorithm's own thread, are reported.
class SharedProgress {
 public:
  SharedProgress(Stage stage, std::size_t total, const Execution& execution)
      : stage_(stage), total_(total), execution_(execution) {
    execution.Report({stage, 0, total});
  }

  /// How a task runs within: on one thread, and what it reports is a step here.
  Execution Within(std::size_t worker) {
    Execution within;
    within.should_stop = execution_.should_stop;
    within.on_progress = [this, worker](const Progress&) {
      const std::size_t done = ++done_;
      if (worker == 0) execution_.Report({stage_, done, total_});
    };
    return within;
  }

 private:
  Stage stage_;
  std::size_t total_;
  const Execution& execution_;
  std::atomic<std::size_t> done_ = 0;
};

/// Runs `task(index, worker)` for every index below `num_tasks`, each exactly once.
///
/// `worker` is below `execution.num_threads` and never used by two tasks at a time, so it can pick
/// a scratch buffer. Which worker gets which task is left to chance: a task's result must depend on
/// its index alone. The first exception (by time) ends the loop and is thrown again here.
void ParallelFor(std::size_t num_tasks, const Execution& execution,
                 const std::function<void(std::size_t index, std::size_t worker)>& task);

}  // namespace spuna::algorithms
