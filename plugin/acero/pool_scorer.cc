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
  const auto shared = std::make_shared<const Model>(std::move(model));
  ARROW_ASSIGN_OR_RAISE(auto prepared, PreparedModel::Make(shared, options_));
  scorer_ = std::make_unique<BatchScorer>(
      BatchScorer::MakeForColumn(std::move(prepared), node_, shared->options.embedding));
  if (on_model) on_model(shared);
  return arrow::Status::OK();
}

arrow::Result<FitStep::Columns> PoolScorer::Score(const arrow::RecordBatch& rows,
                                                  std::int64_t first_row,
                                                  const Runtime& runtime) const {
  ARROW_ASSIGN_OR_RAISE(ScoredBatch scored, scorer_->Score(rows, first_row, runtime));
  return FitStep::Columns{scored.Columns(), std::move(scored.selected)};
}

}  // namespace spuna::acero
