// Inlined into every plugin: no source file.
#pragma once

#include <arrow/status.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "pipelines/options/call_words.h"
#include "pipelines/run/exception_status.h"
#include "plugin/c/spuna.h"

namespace spuna::c {

inline spuna_code CodeOf(const arrow::Status& status) {
  if (status.ok()) return SPUNA_OK;
  if (status.IsCancelled()) return SPUNA_CANCELLED;
  if (status.IsOutOfMemory()) return SPUNA_OUT_OF_MEMORY;
  if (status.IsIOError()) return SPUNA_IO;
  if (status.IsInvalid() || status.IsTypeError() || status.IsKeyError()) return SPUNA_INVALID;
  return SPUNA_FAILED;
}

/// Puts a status into the form of the C interface; `error` may be null.
inline spuna_code Report(const arrow::Status& status, spuna_error* error) {
  if (error != nullptr) {
    const std::string message = status.ok() ? "" : InCallWords(MessageOf(status));
    std::size_t size = std::min(message.size(), sizeof(error->message) - 1);
    // A character of several bytes is not cut in two.
    while (size < message.size() && size > 0 &&
           (static_cast<unsigned char>(message[size]) & 0xC0U) == 0x80U) {
      --size;
    }
    std::memcpy(error->message, message.data(), size);
    error->message[size] = '\0';
  }
  return CodeOf(status);
}

/// Runs the body of a function of a C interface, which returns a Status and may throw.
template <typename Work>
spuna_code Guard(spuna_error* error, Work&& work) noexcept {
  try {
    return Report(CatchExceptions([&]() -> arrow::Status { return work(); }), error);
  } catch (...) {
    // Not even the message could be made.
    if (error != nullptr) error->message[0] = '\0';
    return SPUNA_FAILED;
  }
}

}  // namespace spuna::c
