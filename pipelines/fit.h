#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/expansion.h"
#include "arrow_io/input_files.h"
#include "pipelines/model.h"
#include "pipelines/options.h"
#include "pipelines/runtime.h"

namespace spuna {

/// What a fit leaves behind.
struct FitResult {
  Model model;
  /// The labels of the pool's valid rows.
  algorithms::Expansion expansion;
  /// The score without classifier of the pool's valid rows, where it was asked for.
  std::optional<std::vector<double>> neighbor_scores;
  /// One byte for every pool row: whether it is one of the valid rows.
  std::vector<std::uint8_t> pool_valid;
};

/// What to compute beyond the classifier.
struct FitRequest {
  arrow_io::InputFiles trusted;
  arrow_io::InputFiles pool;
  FitOptions options;
  /// Whether the model keeps the banks, for scoring by neighbors.
  bool keep_banks = false;
  /// Whether the pool's rows are scored without classifier.
  bool neighbor_scores = false;
};

/// The column of the pool's embeddings: the one asked for, else the one that the trusted rows have
/// theirs in, else the only one that can be it.
arrow::Result<std::string> ResolvePoolEmbedding(const FitRequest& request);

/// Fits a model: reads both inputs, expands the labels, distills them. Equal rows in equal order,
/// equal options and an equal seed give an equal model, whatever the files and the threads.
arrow::Result<FitResult> Fit(const FitRequest& request, StageClock& clock);

}  // namespace spuna
