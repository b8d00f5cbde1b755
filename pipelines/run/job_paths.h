#pragma once

#include <arrow/result.h>

#include <string>
#include <vector>

#include "arrow_io/staged_output.h"

namespace spuna {

/// The path that the argument of a call names: a path, or a file:// URI. Other URIs are an error.
arrow::Result<std::string> PathOf(const std::string& text, const std::string& option);

/// The paths of a job: none may touch another.
class JobPaths {
 public:
  arrow::Status AddInputs(const std::vector<std::string>& paths, const std::string& option);

  /// An error where the output can't be written without touching what was added before, or would be
  /// an input of the next run.
  arrow::Status AddOutput(const std::string& path, const std::string& option);

 private:
  std::vector<arrow_io::TakenPath> taken_;
  std::vector<arrow_io::TakenPath> patterns_;
};

}  // namespace spuna
