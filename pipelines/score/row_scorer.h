#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "algorithms/expansion/neighbor_score.h"
#include "arrow_io/embedding_column.h"
#include "pipelines/model/model.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"

namespace spuna {

/// How many rows went which way. `in` is the sum of the other three; without the classifier's score
/// `kept` and `dropped` mean nothing.
struct RowCounts {
  std::int64_t in = 0;
  std::int64_t kept = 0;
  std::int64_t dropped = 0;
  std::int64_t invalid = 0;

  RowCounts& operator+=(const RowCounts& other);
};

/// Our columns for a run of rows.
struct ScoredRows {
  arrow::ArrayVector columns;
  /// Which rows go to the output; null when all do.
  std::shared_ptr<arrow::BooleanArray> selected;
  RowCounts counts;
};

/// A fitted model made ready to score rows. Stateless: runs of rows may be scored in any order, and
/// on several threads.
class RowScorer {
 public:
  /// The columns that scoring with these options appends.
  static arrow::FieldVector Fields(const ScoreOptions& options);

  /// The model must outlive the scorer.
  static arrow::Result<RowScorer> Make(const Model& model, const ScoreOptions& options);

  /// How scoring with these options decides. An error where the model can't.
  static arrow::Result<Decision> DecideFor(const Model& model, const ScoreOptions& options);

  const Decision& decision() const { return decision_; }

  /// Those of the columns that Score returns.
  const arrow::FieldVector& fields() const { return fields_; }

  arrow::Result<ScoredRows> Score(const std::shared_ptr<arrow::Array>& embeddings,
                                  const arrow_io::ColumnLocation& location,
                                  const Runtime& runtime) const;

 private:
  RowScorer(const Model& model, const ScoreOptions& options) : model_(&model), options_(options) {}

  const Model* model_;
  ScoreOptions options_;
  Decision decision_;
  std::optional<algorithms::NeighborScorer> neighbor_scorer_;
  arrow::FieldVector fields_;
};

}  // namespace spuna
