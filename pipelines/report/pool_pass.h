#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/fit/fit_result.h"
#include "pipelines/options/options.h"
#include "pipelines/report/highest_rows.h"
#include "pipelines/report/pool_rows.h"
#include "pipelines/run/job_report.h"
#include "pipelines/run/row_counts.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// What is known of a pool before a pass over it: the model that scores it, and the fit on that
/// very pool, with findings, where there was one. Both must outlive it.
struct PoolKnowledge {
  const Model& model;
  const FitResult* fit = nullptr;
  /// What a person said of rows; null for nothing.
  const PlacedReviews* reviews = nullptr;

  /// What only the fit knows; null where there was none.
  const Findings* findings() const {
    return fit != nullptr && fit->findings ? &*fit->findings : nullptr;
  }
  static PoolKnowledge Of(const FitResult& fit) { return {fit.model, &fit, fit.reviews.get()}; }
};

/// What to find out about the rows of a pool.
struct PoolPassOptions {
  /// Column names; empty for none. The id is "id" where there is such a column, else a row's place.
  std::string id;
  std::vector<std::string> group_by;
  std::string truth;
  /// The column of pictures, of which those of the rows that a report shows are read.
  std::string image;

  /// Gets the reasons of dropped rows; may be empty.
  std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>& reasons)> on_reasons;
  /// How many of the dropped rows of highest score to remember.
  std::size_t num_highest = 0;
  /// Whether to remember the decision on every row, with its id where `id` is set; needs a fit.
  bool decisions = false;
  /// What listeners are told to be running.
  std::string stage = "examine";
};

/// What was decided on a row.
enum class RowDecision : std::uint8_t { kDropped, kKept, kInvalid };

/// What a pass over the pool has counted.
struct PoolPassResult {
  static constexpr std::size_t kNumBins = 50;

  RowCounts counts;
  /// The files that were read; 1 for a stream.
  std::size_t num_parts = 0;
  /// For each part of the pool the decisions on its rows, where they are remembered.
  std::vector<std::vector<RowDecision>> decisions;
  std::vector<std::vector<std::optional<std::string>>> ids;
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
  /// The dropped rows of highest score, where they are remembered.
  std::vector<ExampleRow> highest;
};

/// Reads the pool once more, scores it and looks at every row, in memory for a few batches and some
/// bytes a row. Each file is opened once. A fit that is known must have findings.
arrow::Result<PoolPassResult> RunPoolPass(const PoolRows& pool, const PoolKnowledge& known,
                                          const ScoreOptions& scoring,
                                          const PoolPassOptions& options, StageClock& clock);

/// Where columns are looked for: a file, or a stream, which has no hive keys.
struct ColumnPlace {
  const arrow::Schema& schema;
  std::string name;
  std::vector<std::pair<std::string, std::string>> hive_keys;
};

/// Whether each column that the options name is in one of the places at least, and of a type that
/// can be used in all that have it. Elsewhere it is null.
arrow::Status CheckPoolPassColumns(const std::vector<ColumnPlace>& places,
                                   const PoolPassOptions& options);

}  // namespace spuna
