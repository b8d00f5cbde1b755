// Inlined into the functions of the C interface: no source file.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pipelines/options/call_words.h"
#include "pipelines/options/json_options.h"
#include "pipelines/options/json_text.h"
#include "pipelines/run/runtime.h"
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

/// The options of a call, as the job of the command that it is like. What its threads need is
/// there.
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
  ARROW_RETURN_NOT_OK(ReserveForThreads(command.running.threads));
  return ParsedOptions<Job>{std::get<Job>(std::move(command.job)), command.running.threads};
}

/// How a call runs, and whom it tells.
inline Runtime MakeRuntime(int num_threads, const spuna_callbacks* callbacks) {
  Runtime runtime;
  runtime.num_threads = num_threads;
  if (callbacks == nullptr) return runtime;
  const spuna_callbacks copy = *callbacks;
  if (copy.should_stop != nullptr) {
    runtime.should_stop = [copy] { return copy.should_stop(copy.context) != 0; };
  }
  if (copy.on_progress != nullptr) {
    runtime.on_progress = [copy](const std::string& stage, double done, std::int64_t) {
      copy.on_progress(copy.context, stage.c_str(), done);
    };
  }
  return runtime;
}

/// A list of paths from C.
inline arrow::Result<std::vector<std::string>> ListPaths(const char* const* paths,
                                                         std::size_t num_paths, const char* name) {
  ARROW_RETURN_NOT_OK(RequireArgument(paths, name));
  std::vector<std::string> list;
  for (std::size_t i = 0; i < num_paths; ++i) {
    ARROW_RETURN_NOT_OK(RequireArgument(paths[i], name));
    list.emplace_back(paths[i]);
  }
  return list;
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

/// A result as JSON and as the text that the command prints.
inline void GiveBoth(const nlohmann::json& json, const std::string& text, char** out_json,
                     char** out_text) {
  std::unique_ptr<char, decltype(&std::free)> dumped(CopyText(DumpJson(json)), &std::free);
  *out_text = CopyText(InCallWords(text));
  *out_json = dumped.release();
}

}  // namespace spuna::c
