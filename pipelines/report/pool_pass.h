#pragma once

#include <arrow/result.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/fit/file_fit.h"
#include "pipelines/fit/fit_result.h"
#include "pipelines/options/options.h"
#include "pipelines/run/job_report.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// What to find out about a pool's rows once it has been fitted.
struct PoolPassOptions {
  /// Column names; empty for none. The id is "id" where there is such a column, else a row's place.
  std::string id;
  std::vector<std::string> group_by;
  std::string truth;
  /// The column of pictures, of which those of typical rows are read.
  std::string image;

  /// Where the reasons of dropped rows go, a file that is staged, and what messages call it.
  std::optional<std::string> reasons;
  std::string reasons_name;
};

/// What a pass over the pool has counted.
struct PoolPassResult {
  static constexpr std::size_t kNumBins = 50;

  /// How many valid rows score in each fiftieth from 0 to 1.
  std::array<std::int64_t, kNumBins> scores{};
  /// Where there is truth: how many rows with a truth score in each tenth, their sum of scores, and
  /// how many of them are shifted.
  struct Bin {
    std::int64_t rows = 0;
    std::int64_t shifted = 0;
    double score_sum = 0;
  };
  std::array<Bin, 10> reliability{};
  /// One for each column of `group_by`.
  std::vector<std::vector<GroupCount>> groups;
  /// The pictures of typical rows that have one, as data: URIs, by the rows' numbers.
  std::map<std::uint32_t, std::string> pictures;
};

/// Reads the pool once more, scores it and looks at every row, in memory for a few batches and some
/// bytes a row. Each file is opened once. The fit must have findings.
arrow::Result<PoolPassResult> RunPoolPass(const FitRequest& request, const FitResult& fit,
                                          const ScoreOptions& scoring,
                                          const PoolPassOptions& options, StageClock& clock);

/// Whether a file of the pool has the columns that the options name, of a type that can be used.
arrow::Status CheckPoolPassColumns(const arrow_io::ParquetInput& file,
                                   const PoolPassOptions& options);

}  // namespace spuna
