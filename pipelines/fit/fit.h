#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/expansion/expansion.h"
#include "algorithms/findings/cluster_mix.h"
#include "algorithms/recipe/checkpoint.h"
#include "arrow_io/input_files.h"
#include "pipelines/fit/findings.h"
#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/model/model.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/bad_files.h"
#include "pipelines/source/file_survey.h"

namespace spuna {

class FitCheckpoint;

/// What a fit leaves behind.
struct FitResult {
  Model model;
  /// The labels of the pool's valid rows.
  algorithms::Expansion expansion;
  /// What the classifier gave the pool's valid rows, where something asked for it.
  std::vector<float> pool_scores;
  /// The score without classifier of the pool's valid rows, where it was asked for.
  std::optional<std::vector<double>> neighbor_scores;
  std::optional<Findings> findings;
  /// Whether another mix of clusters explains the difference, where findings were asked for.
  std::optional<algorithms::ClusterMix> mix;
  /// One byte for every pool row: whether it is one of the rows that were fitted. Of a sampled pool
  /// only where neighbor scores or findings were asked for. Files that were skipped have no rows.
  std::vector<std::uint8_t> pool_valid;
};

/// What to compute beyond the classifier.
struct FitExtras {
  /// Whether the model keeps the banks, for scoring by neighbors.
  bool keep_banks = false;
  /// Whether the pool's rows are scored without classifier.
  bool neighbor_scores = false;
  /// Whether the pool's rows are scored by the classifier.
  bool pool_scores = false;
  /// Whether to find out what reasons and a report tell; scores the pool too.
  bool findings = false;
};

/// A fit on files.
struct FitRequest {
  arrow_io::InputFiles trusted;
  arrow_io::InputFiles pool;
  /// What the pool's footers say.
  FileSurvey pool_survey;
  FitOptions options;
  FitExtras extras;
  /// Whether to start even if there seems to be too little memory.
  bool force = false;

  /// Whether the pool is represented by a sample.
  bool IsSampled() const {
    return options.fit_rows > 0 && pool_survey.total_rows > options.fit_rows;
  }
};

/// Reads the pool's footers. A pool that will be sampled is put in the order of its paths: then the
/// fit does not depend on the order in which they were given. `check` is as in SurveyFiles.
arrow::Status SurveyPool(FitRequest& request,
                         const std::function<arrow::Status(const arrow_io::ParquetInput&)>& check,
                         BadFiles& bad_files, const Runtime& runtime);

/// The column of the pool's embeddings: the one asked for, else the one that the trusted rows have
/// theirs in, else the only one that can be it.
arrow::Result<std::string> ResolvePoolEmbedding(const FitRequest& request, BadFiles& bad_files);

/// Fits a model: reads both inputs, expands the labels, distills them. Equal rows in equal order,
/// equal options and an equal seed give an equal model, whatever the files and the threads. The
/// pool must have been surveyed. `checkpoint` may be null.
arrow::Result<FitResult> Fit(const FitRequest& request, BadFiles& bad_files,
                             FitCheckpoint* checkpoint, StageClock& clock);

/// One input of a fit, in memory, and what messages call it.
struct FitInput {
  EmbeddingMatrix rows;
  /// The class of every valid row, where rows are compared within classes.
  std::vector<std::string> classes;
  /// The name of the embedding column.
  std::string column;
  /// Where the rows come from: a file, "the stream of trusted rows".
  std::string where;

  /// Adds the rows of a batch that has the column. Messages count rows from `first_row`.
  arrow::Status Append(const arrow::RecordBatch& batch, InvalidRows invalid,
                       std::int64_t first_row);
  arrow::Status Append(const arrow::RecordBatch& batch, InvalidRows invalid) {
    return Append(batch, invalid, static_cast<std::int64_t>(rows.valid.size()));
  }
};

/// The same fit on rows in memory. The model names the pool's column.
arrow::Result<FitResult> Fit(const FitInput& trusted, FitInput pool, const FitOptions& options,
                             const FitExtras& extras, StageClock& clock,
                             algorithms::Checkpoint* checkpoint = nullptr);

/// Its first part: the labels of the pool's valid rows.
arrow::Result<algorithms::Expansion> Expand(const FitInput& trusted, const FitInput& pool,
                                            const FitOptions& options, StageClock& clock);

/// Its last part: a model from the labels of the pool's valid rows.
arrow::Result<Model> Distill(const FitInput& trusted, const FitInput& pool,
                             const algorithms::Expansion& expansion, const FitOptions& options,
                             StageClock& clock);

}  // namespace spuna
