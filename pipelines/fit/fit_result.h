// Plain data: no source file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/expansion/expansion.h"
#include "pipelines/fit/findings.h"
#include "pipelines/model/model.h"
#include "pipelines/model/row_scores.h"

namespace spuna {

/// What to compute beyond the classifier.
struct FitExtras {
  /// Whether the model keeps the banks, for scoring by neighbors.
  bool keep_banks = false;
  /// Whether the pool's rows are scored without classifier.
  bool neighbor_scores = false;
  /// Whether the pool's rows are scored by the classifier.
  bool pool_scores = false;
  /// Whether to find out what reasons and a report show; scores the pool too. With `ids` they name
  /// rows.
  bool findings = false;
  bool ids = false;
  /// Whether to measure how much of the difference another mix of clusters explains.
  bool mix = true;
};

/// What a fit leaves behind.
struct FitResult {
  Model model;
  /// The labels of the pool's valid rows.
  algorithms::Expansion expansion;
  /// What the model says of the pool's valid rows, where something asked for it.
  RowScores pool;
  /// The score without classifier of the pool's valid rows, where it was asked for.
  std::optional<std::vector<double>> neighbor_scores;
  std::optional<Findings> findings;
  /// One byte for every pool row: whether it is one of the rows that were fitted. Of a sampled pool
  /// only where neighbor scores or findings were asked for. Files that were skipped have no rows.
  std::vector<std::uint8_t> pool_valid;
  /// Of a fit on files: where each file of the pool begins there; -1 for those that were skipped.
  std::vector<std::int64_t> first_rows;
};

}  // namespace spuna
