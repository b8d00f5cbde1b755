// The node "spuna_expand"; nodes_internal.h declares its factory.
#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <memory>
#include <utility>

#include "pipelines/fit/fit_steps.h"
#include "pipelines/score/label_columns.h"
#include "plugin/acero/fit_node_internal.h"
#include "plugin/acero/node_options.h"
#include "plugin/acero/nodes_internal.h"

namespace spuna::acero {
namespace {

class ExpandStep : public FitStep {
 public:
  explicit ExpandStep(ExpandNodeOptions options) : options_(std::move(options)) {}

  const char* name() const override { return ExpandNodeOptions::kName; }
  const FitOptions& options() const override { return options_.fit; }

  arrow::FieldVector Fields() const override {
    return LabelColumns::Fields(options_.prefix, /*neighbor_scores=*/false);
  }

  arrow::Status Fit(const FitInput& trusted, NodePool pool, StageClock& clock) override {
    ARROW_ASSIGN_OR_RAISE(const auto expansion,
                          Expand(trusted, std::move(pool.input), options_.fit, clock));
    labels_ = std::make_unique<LabelColumns>(expansion, pool.fitted, nullptr, pool.valid);
    return arrow::Status::OK();
  }

  arrow::Result<Columns> Annotate(const arrow::RecordBatch& rows, std::int64_t first_row,
                                  const Runtime&) const override {
    ARROW_ASSIGN_OR_RAISE(LabelColumns::Run run, labels_->Rows(first_row, rows.num_rows(), name()));
    const bool drops = options_.fit.invalid == InvalidRows::kDrop;
    return Columns{std::move(run.columns), drops ? run.valid : nullptr};
  }

 private:
  ExpandNodeOptions options_;
  std::unique_ptr<LabelColumns> labels_;
};

}  // namespace

arrow::Result<arrow::acero::ExecNode*> MakeExpandNode(
    arrow::acero::ExecPlan* plan, std::vector<arrow::acero::ExecNode*> inputs,
    const arrow::acero::ExecNodeOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const ExpandNodeOptions& expand,
                        CheckedOptions<ExpandNodeOptions>(options));
  return MakeFitNode(plan, std::move(inputs), std::make_unique<ExpandStep>(expand));
}

}  // namespace spuna::acero
