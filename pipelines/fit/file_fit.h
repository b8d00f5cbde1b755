#pragma once

#include <arrow/result.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "pipelines/fit/fit_checkpoint.h"
#include "pipelines/fit/fit_memory.h"
#include "pipelines/fit/fit_result.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/placed_reviews.h"
#include "pipelines/source/reviewed_rows.h"
#include "pipelines/source/source.h"

namespace spuna {

/// A fit on files.
struct FitRequest {
  FitRequest(Source trusted_rows, Source pool_rows)
      : trusted(std::move(trusted_rows)), pool(std::move(pool_rows)) {}

  Source trusted;
  Source pool;
  FitOptions options;
  FitExtras extras;
  /// The column of the pool's ids, for findings; empty chooses as ResolveIdColumn does.
  std::string id;
  /// Whether to start even if there seems to be too little memory.
  bool force = false;
  /// As in FitExtras, with the places of the pool's rows that are fitted; may be empty.
  std::function<void(const FitInput& trusted, const FitInput& pool, const FitResult& result,
                     const RowSample& pool_rows)>
      examine = {};
  /// What a person said of rows, and where these are; see PlaceReviews.
  ReviewedRows reviewed = {};
  std::shared_ptr<const PlacedReviews> pool_reviews = nullptr;
  std::shared_ptr<const PlacedReviews> trusted_reviews = nullptr;

  /// Reads the footers of both inputs, and finds out what the fit can't do before the work. A pool
  /// that will be sampled is put in the order of its paths: then the fit does not depend on the
  /// order in which they were given. `check` is called with the pool's files.
  arrow::Status Survey(const Source::FileCheck& check, const Runtime& runtime);

  /// Finds the reviewed rows in the pool, which must have been surveyed. Survey does it where it
  /// was not done before.
  arrow::Status PlaceReviews(const Runtime& runtime);

  // From Survey on.
  /// Whether the pool is represented by a sample, and how many rows the fit sees.
  bool IsSampled() const { return options.fit_rows > 0 && pool.num_rows() > options.fit_rows; }
  std::int64_t NumFitRows() const { return IsSampled() ? options.fit_rows : pool.num_rows(); }
  FitShape Shape() const;
};

/// Reads both inputs, which must have been surveyed, and fits. Equal rows in equal order give an
/// equal model, whatever the files. `checkpoint` may be null.
arrow::Result<FitResult> Fit(const FitRequest& request, FitCheckpoint* checkpoint,
                             StageClock& clock);

}  // namespace spuna
