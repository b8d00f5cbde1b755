// Templates over the steps: no source file.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "pipelines/run/exception_status.h"

namespace spuna {

/// Hands items from one thread to another, one waiting at most.
template <typename T>
class Handover {
 public:
  /// Waits for room. False when it was closed: the item is not taken.
  bool Put(T item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !item_; });
    if (closed_) return false;
    item_ = std::move(item);
    changed_.notify_all();
    return true;
  }

  /// Waits for an item. None when no more come.
  std::optional<T> Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || item_; });
    std::optional<T> item = std::exchange(item_, std::nullopt);
    changed_.notify_all();
    return item;
  }

  /// No more items come; the one that waits can still be taken.
  void Close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> item_;
  bool closed_ = false;
};

/// Sends items through three steps in order: `read()` gives the next one or none, `work(item)`
/// turns it into another, `write(item)` takes that one. With `at_once` the steps run at the same
/// time, `work` on the calling thread, and at most five items are on their way; otherwise one after
/// the other. Ends at the first error.
template <typename Read, typename Work, typename Write>
arrow::Status RunAssemblyLine(bool at_once, Read read, Work work, Write write) {
  using Input = typename decltype(read())::ValueType::value_type;
  using Output = typename decltype(work(std::declval<Input>()))::ValueType;
  // A bad_alloc on a thread of our own would end the process.
  auto guarded = [](auto step) { return CatchExceptions(step); };

  if (!at_once) {
    while (true) {
      ARROW_ASSIGN_OR_RAISE(std::optional<Input> input, read());
      if (!input) return arrow::Status::OK();
      ARROW_ASSIGN_OR_RAISE(Output output, work(*std::move(input)));
      ARROW_RETURN_NOT_OK(write(std::move(output)));
    }
  }

  Handover<Input> to_work;
  Handover<Output> to_write;
  std::mutex mutex;
  arrow::Status first_error;
  auto fail = [&](const arrow::Status& status) {
    const std::scoped_lock lock(mutex);
    if (first_error.ok()) first_error = status;
    to_work.Close();
    to_write.Close();
  };
  {
    std::jthread reader([&] {
      while (true) {
        arrow::Result<std::optional<Input>> input = guarded(read);
        if (!input.ok()) return fail(input.status());
        if (!input->has_value()) return to_work.Close();
        if (!to_work.Put(**std::move(input))) return;
      }
    });
    std::jthread writer([&] {
      while (std::optional<Output> output = to_write.Take()) {
        const arrow::Status status = guarded([&] { return write(*std::move(output)); });
        if (!status.ok()) return fail(status);
      }
    });
    while (std::optional<Input> input = to_work.Take()) {
      arrow::Result<Output> output = guarded([&] { return work(*std::move(input)); });
      if (!output.ok()) {
        fail(output.status());
        break;
      }
      if (!to_write.Put(*std::move(output))) break;
    }
    to_write.Close();
  }
  return first_error;
}

}  // namespace spuna
