#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "arrow_io/input_files.h"
#include "pipelines/options/options.h"
#include "pipelines/run/job_report.h"

namespace spuna {

/// Input files that can't be read, and what is done about them. May be used by several threads.
class BadFiles {
 public:
  /// At most `max_skipped` files are skipped; not set for any number.
  explicit BadFiles(OnBadFile policy, std::optional<std::int64_t> max_skipped = {})
      : policy_(policy), max_skipped_(max_skipped) {}

  /// Takes the error that reading a file ended with: OK where the file is skipped, else the error.
  /// Skipped are files that are corrupt or may not be read. One that failed for a reason that may
  /// pass never is: its rows are there. A run that was interrupted or lacks memory is not the
  /// file's fault.
  arrow::Status Take(const arrow_io::InputFile& file, const arrow::Status& error);

  /// The same for many files at once, each with its error or OK. Too many of them are counted
  /// together.
  arrow::Status TakeAll(std::span<const arrow_io::InputFile> files,
                        std::span<const arrow::Status> errors);

  bool Has(const arrow_io::InputFile& file) const;

  SkippedFiles skipped() const;

 private:
  OnBadFile policy_;
  std::optional<std::int64_t> max_skipped_;
  mutable std::mutex mutex_;
  SkippedFiles skipped_;
};

}  // namespace spuna
