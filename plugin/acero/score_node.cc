// The node "spuna_score"; nodes_internal.h declares its factory.
#include <arrow/acero/map_node.h>
#include <arrow/acero/query_context.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/thread_pool.h>

#include <memory>
#include <string>
#include <utility>

#include "pipelines/run/exception_status.h"
#include "pipelines/score/batch_scorer.h"
#include "plugin/acero/node_options.h"
#include "plugin/acero/nodes_internal.h"

namespace spuna::acero {
namespace {

using arrow::acero::ExecNode;
using arrow::acero::ExecPlan;
using arrow::compute::ExecBatch;

class ScoreNode : public arrow::acero::MapNode {
 public:
  ScoreNode(ExecPlan* plan, std::vector<ExecNode*> inputs, BatchScorer scorer)
      : MapNode(plan, std::move(inputs), scorer.schema()), scorer_(std::move(scorer)) {}

  static arrow::Result<ExecNode*> Make(ExecPlan* plan, std::vector<ExecNode*> inputs,
                                       const arrow::acero::ExecNodeOptions& options) {
    ARROW_RETURN_NOT_OK(ValidateExecNodeInputs(plan, inputs, 1, ScoreNodeOptions::kName));
    ARROW_ASSIGN_OR_RAISE(const ScoreNodeOptions& score, CheckedOptions<ScoreNodeOptions>(options));
    ARROW_RETURN_NOT_OK(ReserveForThreads(plan->query_context()->executor()->GetCapacity()));
    ARROW_ASSIGN_OR_RAISE(auto prepared, PreparedModel::Make(score.model, score.score));
    // Rows have no number here, since batches come in any order, and no other name.
    ARROW_ASSIGN_OR_RAISE(BatchScorer scorer,
                          BatchScorer::Make(std::move(prepared), *inputs[0]->output_schema(),
                                            {ScoreNodeOptions::kName, "a batch of spuna_score"}));
    return plan->EmplaceNode<ScoreNode>(plan, std::move(inputs), std::move(scorer));
  }

  const char* kind_name() const override { return "SpunaScoreNode"; }

 protected:
  arrow::Result<ExecBatch> ProcessBatch(ExecBatch batch) override {
    return CatchExceptions([&]() -> arrow::Result<ExecBatch> {
      ARROW_ASSIGN_OR_RAISE(
          const auto rows,
          batch.ToRecordBatch(inputs_[0]->output_schema(), plan_->query_context()->memory_pool()));
      ARROW_ASSIGN_OR_RAISE(const auto appended, scorer_.Append(*rows, 0, runtime_));
      return ExecBatch(*appended);
    });
  }

 private:
  BatchScorer scorer_;
  // One thread: batches run in parallel already. Nothing stops within a batch: a limit that has its
  // rows stops the node, and that is no error.
  Runtime runtime_;
};

}  // namespace

arrow::Result<ExecNode*> MakeScoreNode(ExecPlan* plan, std::vector<ExecNode*> inputs,
                                       const arrow::acero::ExecNodeOptions& options) {
  return ScoreNode::Make(plan, std::move(inputs), options);
}

}  // namespace spuna::acero
