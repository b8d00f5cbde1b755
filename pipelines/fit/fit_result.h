// Plain data: no source file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/expansion/expansion.h"
#include "algorithms/rows/ranking.h"
#include "pipelines/fit/findings.h"
#include "pipelines/matrix/fit_input.h"
#include "pipelines/model/model.h"
#include "pipelines/model/row_scores.h"
#include "pipelines/source/placed_reviews.h"

namespace spuna {

struct FitResult;

/// Gets the trusted rows as they were learned, the pool, and what a fit made of them.
using ExamineFit =
    std::function<void(const FitInput& trusted, const FitInput& pool, const FitResult& result)>;

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
  /// Looks at the rows of the fit and its result while they are in memory, the pool scored; may be
  /// null.
  const ExamineFit* examine = nullptr;
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
  /// The learned trusted rows that a split holds out and calibrates by.
  algorithms::RowNumbers calibration_rows;
  /// What a person said of the pool's rows; null for nothing.
  std::shared_ptr<const PlacedReviews> reviews;
  /// Of a fit on files: where the rows that were fitted are, where examining, findings or reviewed
  /// rows need it.
  RowSample pool_rows;
  /// One byte for every pool row: whether it is one of the rows that were fitted. Of a sampled pool
  /// only where neighbor scores or findings were asked for. Files that were skipped have no rows.
  std::vector<std::uint8_t> pool_valid;
  /// Of a fit on files: where each file of the pool begins there; -1 for those that were skipped.
  std::vector<std::int64_t> first_rows;
};

}  // namespace spuna
