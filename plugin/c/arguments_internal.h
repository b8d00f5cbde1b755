// Inlined into the functions of the C interface: no source file.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <variant>

#include "pipelines/options/json_options.h"
#include "plugin/c/spuna.h"
#include "plugin/c/stream_rows_internal.h"

namespace spuna::c {

inline std::string Text(const char* text) { return text == nullptr ? std::string() : text; }

/// The number behind an enumeration of C, which may be none of its values: to C++ such a value is
/// no value, and must not be read as one.
template <typename Enumeration>
int NumberOf(const Enumeration& value) {
  static_assert(sizeof(value) == sizeof(int));
  int number = 0;
  std::memcpy(&number, &value, sizeof(number));
  return number;
}

template <typename T>
arrow::Status RequireArgument(const T* argument, const char* name) {
  if (argument != nullptr) return arrow::Status::OK();
  return arrow::Status::Invalid("`", name, "` must not be NULL");
}

/// The options of a call, as the job of the command that it is like.
template <typename Job>
struct ParsedOptions {
  Job job;
  int num_threads = 1;
};

template <typename Job>
arrow::Result<ParsedOptions<Job>> ParseOptions(const char* options) {
  spuna::CommandOptions command;
  command.job = Job();
  ARROW_ASSIGN_OR_RAISE(command, ParseJsonOptions(Text(options), command.command()));
  return ParsedOptions<Job>{std::get<Job>(std::move(command.job)), command.running.threads};
}

/// Releases the streams that a call takes over but has not come to.
class OwnedStream {
 public:
  explicit OwnedStream(ArrowArrayStream* stream) : stream_(stream) {}
  ~OwnedStream() {
    if (stream_ == nullptr || stream_->release == nullptr) return;
    stream_->release(stream_);
    stream_->release = nullptr;
  }
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Take(const char* name) {
    return TakeStream(stream_, name);
  }

 private:
  ArrowArrayStream* stream_;
};

/// Text that the caller frees with spuna_string_free.
inline char* CopyText(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace spuna::c
