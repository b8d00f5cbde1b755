// The node "spuna_clean"; nodes_internal.h declares its factory.
#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <memory>
#include <utility>

#include "pipelines/fit/fit.h"
#include "pipelines/score/label_columns.h"
#include "plugin/acero/fit_node_internal.h"
#include "plugin/acero/node_options.h"
#include "plugin/acero/nodes_internal.h"
#include "plugin/acero/pool_scorer_internal.h"

namespace spuna::acero {
namespace {

class CleanStep : public FitStep {
 public:
  explicit CleanStep(CleanNodeOptions options)
      : options_(std::move(options)),
        scorer_(options_.fit, options_.prefix, CleanNodeOptions::kName) {}

  const char* name() const override { return CleanNodeOptions::kName; }
  const FitOptions& options() const override { return options_.fit; }

  arrow::FieldVector Fields() const override {
    arrow::FieldVector fields = LabelColumns::Fields(options_.prefix, /*neighbor_scores=*/false);
    for (const auto& field : scorer_.Fields()) fields.push_back(field);
    return fields;
  }

  arrow::Status Fit(const FitInput& trusted, NodePool pool, StageClock& clock) override {
    ARROW_ASSIGN_OR_RAISE(FitResult fit,
                          spuna::Fit(trusted, std::move(pool.input), options_.fit, {}, clock));
    fit.model.summary.sampled_from = pool.sampled_from;
    labels_ = std::make_unique<LabelColumns>(fit.expansion, pool.fitted, nullptr, pool.valid);
    return scorer_.SetModel(std::move(fit.model), options_.on_model);
  }

  arrow::Result<Columns> Annotate(const arrow::RecordBatch& rows, std::int64_t first_row,
                                  const Runtime& runtime) const override {
    ARROW_ASSIGN_OR_RAISE(LabelColumns::Run run, labels_->Rows(first_row, rows.num_rows(), name()));
    ARROW_ASSIGN_OR_RAISE(Columns scored, scorer_.Score(rows, first_row, runtime));
    run.columns.insert(run.columns.end(), scored.arrays.begin(), scored.arrays.end());
    return Columns{std::move(run.columns), std::move(scored.selected)};
  }

 private:
  CleanNodeOptions options_;
  PoolScorer scorer_;
  std::unique_ptr<LabelColumns> labels_;
};

}  // namespace

arrow::Result<arrow::acero::ExecNode*> MakeCleanNode(arrow::acero::ExecPlan* plan,
                                                     std::vector<arrow::acero::ExecNode*> inputs,
                                                     const arrow::acero::ExecNodeOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const CleanNodeOptions& clean, CheckedOptions<CleanNodeOptions>(options));
  return MakeFitNode(plan, std::move(inputs), std::make_unique<CleanStep>(clean));
}

}  // namespace spuna::acero
