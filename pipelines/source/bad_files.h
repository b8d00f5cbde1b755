#pragma once

#include <arrow/status.h>

#include <map>
#include <mutex>
#include <string>

#include "arrow_io/input_files.h"
#include "pipelines/options/options.h"

namespace spuna {

/// Input files that can't be read, and what is done about them. May be used by several threads.
class BadFiles {
 public:
  explicit BadFiles(OnBadFile policy) : policy_(policy) {}

  /// Takes the error that reading a file ended with: OK where the file is skipped, else the error.
  /// A run that was interrupted or lacks memory is not the file's fault.
  arrow::Status Take(const arrow_io::InputFile& file, const arrow::Status& error);

  bool Has(const arrow_io::InputFile& file) const;

  /// The reasons by relative path.
  std::map<std::string, std::string> skipped() const;

 private:
  OnBadFile policy_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> skipped_;
};

}  // namespace spuna
