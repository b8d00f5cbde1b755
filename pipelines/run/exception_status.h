// Templates over what may throw: no source file.
#pragma once

#include <arrow/result.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "algorithms/compute/execution.h"
#include "arrow_io/failure.h"
#include "arrow_io/uri.h"

namespace spuna {

/// What an error says of what to do next; cli/ and plugin/ take it from here.
using arrow_io::FailureKind;
using arrow_io::KindOf;

/// Runs `work`, which returns an arrow::Status or arrow::Result and may throw: the one place where
/// exceptions become a Status. Interrupted becomes Cancelled.
template <typename Work>
auto CatchExceptions(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const algorithms::Interrupted&) {
    return arrow::Status::Cancelled("interrupted");
  } catch (const std::invalid_argument& error) {
    return arrow::Status::Invalid(error.what());
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("there is not enough memory for these rows");
  } catch (const std::exception& error) {
    return arrow::Status::ExecutionError(error.what());
  }
}

/// The message of an error as it may be shown or stored: with the system's reason ("No space left
/// on device"), which Arrow keeps apart from it, and without the secrets of URIs.
inline std::string MessageOf(const arrow::Status& status) {
  const std::string reason = arrow_io::SystemReason(status);
  return arrow_io::MaskSecrets(reason.empty() ? status.message()
                                              : status.message() + " (" + reason + ")");
}
inline std::string MessageOf(const std::exception& error) {
  return arrow_io::MaskSecrets(error.what());
}

}  // namespace spuna
