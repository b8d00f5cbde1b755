#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <vector>

#include "pipelines/jobs/jobs.h"
#include "tests/support/random_rows.h"
#include "tests/support/temp_directory.h"

namespace spuna::test {

inline constexpr std::size_t kDimension = 6;

/// Trusted rows and a pool in files of their own, and quick jobs over them.
struct FilesExample {
  TempDirectory directory;
  Matrix trusted = RandomRows(80, kDimension, 1);
  Matrix pool = ShiftedPool(300, kDimension, 2, 1.5);

  FilesExample();

  /// A fit with alpha 10 and k 20 that writes this model. Without paths the pool is the one above.
  FitJob Fit(const std::string& model, const std::vector<std::string>& pool_paths = {}) const;
  /// The same fit, without a model, then scores to `output`.
  CleanJob Clean(const std::string& output, const std::vector<std::string>& pool_paths = {}) const;
};

Runtime Threads(int num_threads);

/// The values of a float32 column; not a number where null.
std::vector<float> Scores(const arrow::Table& table, const std::string& name = "spuna_score");

}  // namespace spuna::test
