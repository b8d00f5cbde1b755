#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <utility>

#include "plugin/acero/pool_scorer_internal.h"

namespace spuna::acero {

PoolScorer::PoolScorer(const FitOptions& fit, const std::string& prefix, std::string node)
    : node_(std::move(node)) {
  options_.prefix = prefix;
  options_.invalid = fit.invalid;
}

arrow::Status PoolScorer::SetModel(Model model, const OnModel& on_model) {
  model_ = std::make_shared<const Model>(std::move(model));
  ARROW_ASSIGN_OR_RAISE(RowScorer scorer, RowScorer::Make(*model_, options_));
  scorer_ = std::make_unique<RowScorer>(std::move(scorer));
  if (on_model) on_model(model_);
  return arrow::Status::OK();
}

arrow::Result<FitStep::Columns> PoolScorer::Score(const arrow::RecordBatch& rows,
                                                  std::int64_t first_row,
                                                  const Runtime& runtime) const {
  const std::string& column = model_->options.embedding;
  ARROW_ASSIGN_OR_RAISE(ScoredRows scored, scorer_->Score(rows.GetColumnByName(column),
                                                          {column, node_, first_row}, runtime));
  return FitStep::Columns{std::move(scored.columns), std::move(scored.selected)};
}

}  // namespace spuna::acero
