#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>

#include "pipelines/score/batch_scorer.h"
#include "plugin/acero/fit_node_internal.h"
#include "plugin/acero/node_options.h"

namespace spuna::acero {

/// Scores the pool rows of a node with the model that the node has fitted.
class PoolScorer {
 public:
  PoolScorer(const FitOptions& fit, const std::string& prefix, std::string node);

  arrow::FieldVector Fields() const { return ScoreFields(options_); }

  /// Takes the model, and hands it to `on_model`.
  arrow::Status SetModel(Model model, const OnModel& on_model);

  arrow::Result<FitStep::Columns> Score(const arrow::RecordBatch& rows, std::int64_t first_row,
                                        const Runtime& runtime) const;

 private:
  ScoreOptions options_;
  std::string node_;
  std::unique_ptr<BatchScorer> scorer_;
};

}  // namespace spuna::acero
