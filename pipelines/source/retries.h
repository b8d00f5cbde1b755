#pragma once

#include <arrow/status.h>

#include <chrono>
#include <functional>

#include "arrow_io/input_files.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// Does `work` on a file, again and again after pauses while it fails for a reason that may pass
/// (arrow_io/failure.h): three more times for a file of this machine. One of a store is tried once
/// more, and only if it failed at once: else the store's client has repeated its requests for half
/// a minute by itself. `work` must leave no trace when it fails, or remove it when it begins. The
/// last error says how often it was tried. Pauses end when the run should stop.
arrow::Status RetryMayPass(const Runtime& runtime, const arrow_io::InputFile& file,
                           const std::function<arrow::Status()>& work);

/// A try that was made.
struct FirstTry {
  arrow::Status status;
  std::chrono::steady_clock::duration took;
};
/// The same after a first try.
arrow::Status RetryMayPass(const Runtime& runtime, const arrow_io::InputFile& file, FirstTry first,
                           const std::function<arrow::Status()>& work);

}  // namespace spuna
