#include "pipelines/source/retries.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <thread>
#include <utility>

#include "pipelines/run/exception_status.h"

namespace spuna {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kPauses[] = {Milliseconds(200), Milliseconds(1000), Milliseconds(3000)};
constexpr Milliseconds kStorePauses[] = {Milliseconds(1000)};
// A store that took longer to fail was asked many times by its client.
constexpr Milliseconds kAtOnce(5000);
// How often a pause looks whether the run should stop.
constexpr Milliseconds kGlance(50);

arrow::Status Pause(const Runtime& runtime, Milliseconds left) {
  while (left.count() > 0) {
    ARROW_RETURN_NOT_OK(runtime.CheckStop());
    const Milliseconds now = std::min(left, kGlance);
    std::this_thread::sleep_for(now);
    left -= now;
  }
  return runtime.CheckStop();
}

}  // namespace

arrow::Status RetryMayPass(const Runtime& runtime, const arrow_io::InputFile& file,
                           const std::function<arrow::Status()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  arrow::Status first = work();
  return RetryMayPass(runtime, file, {std::move(first), std::chrono::steady_clock::now() - begin},
                      work);
}

arrow::Status RetryMayPass(const Runtime& runtime, const arrow_io::InputFile& file, FirstTry first,
                           const std::function<arrow::Status()>& work) {
  std::span<const Milliseconds> pauses = kPauses;
  if (file.filesystem != nullptr) pauses = kStorePauses;
  if (file.filesystem != nullptr && first.took > kAtOnce) pauses = {};
  arrow::Status status = std::move(first.status);
  for (const Milliseconds pause : pauses) {
    if (KindOf(status) != FailureKind::kMayPass) return status;
    ARROW_RETURN_NOT_OK(Pause(runtime, pause));
    status = work();
  }
  if (KindOf(status) != FailureKind::kMayPass) return status;
  if (pauses.empty()) return status.WithMessage(status.message(), "; run again later");
  return status.WithMessage(status.message(), "; it was tried ", pauses.size() + 1,
                            " times: run again later");
}

}  // namespace spuna
