#include "tests/support/files_example.h"

#include <arrow/api.h>

#include <cmath>

#include "tests/support/parquet_files.h"

namespace spuna::test {

FilesExample::FilesExample() {
  WriteParquet(directory / "trusted.parquet", *EmbeddingTable(trusted));
  WriteParquet(directory / "pool.parquet", *EmbeddingTable(pool), 90);
}

FitJob FilesExample::Fit(const std::string& model,
                         const std::vector<std::string>& pool_paths) const {
  FitJob job;
  job.trusted = {directory / "trusted.parquet"};
  job.pool = pool_paths.empty() ? std::vector{directory / "pool.parquet"} : pool_paths;
  job.model = directory / model;
  job.options.recipe = Recipe::kPaper;
  job.options.alpha = 10;
  job.options.k = 20;
  job.options.hidden = 16;
  job.options.epochs = 3;
  return job;
}

CleanJob FilesExample::Clean(const std::string& output,
                             const std::vector<std::string>& pool_paths) const {
  CleanJob job;
  job.fit = Fit("unused", pool_paths);
  job.fit.model.reset();
  job.output = directory / output;
  return job;
}

Runtime Threads(int num_threads) {
  Runtime runtime;
  runtime.num_threads = num_threads;
  return runtime;
}

std::vector<float> Scores(const arrow::Table& table, const std::string& name) {
  std::vector<float> scores;
  for (const auto& chunk : table.GetColumnByName(name)->chunks()) {
    const auto& floats = static_cast<const arrow::FloatArray&>(*chunk);
    for (std::int64_t i = 0; i < floats.length(); ++i) {
      scores.push_back(floats.IsNull(i) ? NAN : floats.Value(i));
    }
  }
  return scores;
}

}  // namespace spuna::test
