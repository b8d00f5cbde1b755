#include <arrow/acero/map_node.h>
#include <arrow/acero/query_context.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <memory>
#include <string>
#include <utility>

#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/score/appended_columns.h"
#include "pipelines/score/row_scorer.h"
#include "plugin/acero/node_options.h"
#include "plugin/acero/nodes_internal.h"

namespace spuna::acero {
namespace {

using arrow::acero::ExecNode;
using arrow::acero::ExecPlan;
using arrow::compute::ExecBatch;

class ScoreNode : public arrow::acero::MapNode {
 public:
  ScoreNode(ExecPlan* plan, std::vector<ExecNode*> inputs, std::shared_ptr<arrow::Schema> schema,
            std::shared_ptr<const Model> model, RowScorer scorer, std::string embedding)
      : MapNode(plan, std::move(inputs), std::move(schema)),
        model_(std::move(model)),
        scorer_(std::move(scorer)),
        embedding_(std::move(embedding)),
        column_(inputs_[0]->output_schema()->GetFieldIndex(embedding_)) {}

  static arrow::Result<ExecNode*> Make(ExecPlan* plan, std::vector<ExecNode*> inputs,
                                       const arrow::acero::ExecNodeOptions& options) {
    ARROW_RETURN_NOT_OK(ValidateExecNodeInputs(plan, inputs, 1, ScoreNodeOptions::kName));
    ARROW_ASSIGN_OR_RAISE(const ScoreNodeOptions& score, CheckedOptions<ScoreNodeOptions>(options));
    const arrow::Schema& schema = *inputs[0]->output_schema();
    ARROW_ASSIGN_OR_RAISE(RowScorer scorer, RowScorer::Make(*score.model, score.score));
    ARROW_ASSIGN_OR_RAISE(
        std::string embedding,
        ResolveEmbeddingColumn(schema, ScoreNodeOptions::kName, score.score.embedding,
                               score.model->options.embedding));
    ARROW_ASSIGN_OR_RAISE(auto output_schema,
                          AppendFields(schema, scorer.fields(), ScoreNodeOptions::kName));
    return plan->EmplaceNode<ScoreNode>(plan, std::move(inputs), std::move(output_schema),
                                        score.model, std::move(scorer), std::move(embedding));
  }

  const char* kind_name() const override { return "SpunaScoreNode"; }

 protected:
  arrow::Result<ExecBatch> ProcessBatch(ExecBatch batch) override {
    return CatchExceptions([&]() -> arrow::Result<ExecBatch> {
      ARROW_ASSIGN_OR_RAISE(
          const auto rows,
          batch.ToRecordBatch(inputs_[0]->output_schema(), plan_->query_context()->memory_pool()));
      // Rows have no number here: batches come in any order.
      ARROW_ASSIGN_OR_RAISE(const ScoredRows scored,
                            scorer_.Score(rows->column(column_),
                                          {embedding_, "a batch of spuna_score", 0}, runtime_));
      ARROW_ASSIGN_OR_RAISE(const auto appended,
                            AppendColumns(*rows, output_schema_, scored.columns, scored.selected));
      return ExecBatch(*appended);
    });
  }

 private:
  std::shared_ptr<const Model> model_;
  RowScorer scorer_;
  std::string embedding_;
  int column_;
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
