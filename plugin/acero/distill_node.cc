// The node "spuna_distill"; nodes_internal.h declares its factory.
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <utility>

#include "pipelines/fit/fit_steps.h"
#include "pipelines/score/label_columns.h"
#include "plugin/acero/fit_node_internal.h"
#include "plugin/acero/node_options.h"
#include "plugin/acero/nodes_internal.h"
#include "plugin/acero/pool_scorer_internal.h"

namespace spuna::acero {
namespace {

class DistillStep : public FitStep {
 public:
  explicit DistillStep(DistillNodeOptions options)
      : options_(std::move(options)),
        scorer_(options_.fit, options_.prefix, DistillNodeOptions::kName) {}

  const char* name() const override { return DistillNodeOptions::kName; }
  const FitOptions& options() const override { return options_.fit; }
  arrow::FieldVector Fields() const override { return scorer_.Fields(); }
  // Rows may have been left out since they were labeled: then their numbers are others.
  std::string PreferredColumn() const override { return options_.prefix + "label"; }

  // Whether the pool has a column of labels.
  static arrow::Status CheckLabels(const arrow::Schema& pool, const std::string& column) {
    const std::vector<int> named = pool.GetAllFieldIndices(column);
    if (named.size() == 1 && HoldsLabels(*pool.field(named[0])->type())) {
      return arrow::Status::OK();
    }
    return arrow::Status::Invalid(
        DistillNodeOptions::kName, ", input `pool`: expected one column '", column,
        "' of strings, as spuna_expand writes it, but found ",
        named.empty() ? "none" : pool.field(named[0])->type()->ToString());
  }

  arrow::Status Fit(const FitInput& trusted, NodePool pool, StageClock& clock) override {
    ARROW_ASSIGN_OR_RAISE(const auto expansion,
                          ReadLabels(pool.batches, options_.prefix + "label", name(), pool.fitted));
    ARROW_ASSIGN_OR_RAISE(Model model,
                          Distill(trusted, std::move(pool.input), expansion, options_.fit, clock));
    model.summary.sampled_from = pool.sampled_from;
    // Who made the labels, and why they end where they do, is not known here.
    model.summary.stopped_by = "given";
    return scorer_.SetModel(std::move(model), options_.on_model);
  }

  arrow::Result<Columns> Annotate(const arrow::RecordBatch& rows, std::int64_t first_row,
                                  const Runtime& runtime) const override {
    return scorer_.Score(rows, first_row, runtime);
  }

 private:
  DistillNodeOptions options_;
  PoolScorer scorer_;
};

}  // namespace

arrow::Result<arrow::acero::ExecNode*> MakeDistillNode(
    arrow::acero::ExecPlan* plan, std::vector<arrow::acero::ExecNode*> inputs,
    const arrow::acero::ExecNodeOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const DistillNodeOptions& distill,
                        CheckedOptions<DistillNodeOptions>(options));
  if (inputs.size() == 2) {
    ARROW_RETURN_NOT_OK(
        DistillStep::CheckLabels(*inputs[1]->output_schema(), distill.prefix + "label"));
  }
  return MakeFitNode(plan, std::move(inputs), std::make_unique<DistillStep>(distill));
}

}  // namespace spuna::acero
