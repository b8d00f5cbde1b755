#include <arrow/acero/query_context.h>
#include <arrow/acero/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "pipelines/fit/stream_sample.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/run/runtime.h"
#include "pipelines/score/appended_columns.h"
#include "pipelines/source/source.h"
#include "plugin/acero/fit_node_internal.h"

namespace spuna::acero {
namespace {

using arrow::acero::ExecNode;
using arrow::acero::ExecPlan;
using arrow::compute::ExecBatch;

// A pipeline breaker with two inputs. Batches may come on any thread, in any order, and the end of
// an input may be announced before its last batch. The one call that completes the second input
// schedules the work; each pool batch then goes on in a task of its own.
class FitNode : public ExecNode {
 public:
  FitNode(ExecPlan* plan, std::vector<ExecNode*> inputs, std::shared_ptr<arrow::Schema> schema,
          std::unique_ptr<FitStep> step, std::array<std::string, 2> columns)
      : ExecNode(plan, std::move(inputs), {"trusted", "pool"}, std::move(schema)),
        step_(std::move(step)) {
    for (std::size_t i = 0; i < 2; ++i) sides_[i].column = std::move(columns[i]);
  }

  static arrow::Result<ExecNode*> Make(ExecPlan* plan, std::vector<ExecNode*> inputs,
                                       std::unique_ptr<FitStep> step) {
    ARROW_RETURN_NOT_OK(ValidateExecNodeInputs(plan, inputs, 2, step->name()));
    const std::string name = step->name();
    const arrow::Schema& trusted = *inputs[0]->output_schema();
    const arrow::Schema& pool = *inputs[1]->output_schema();
    const std::string& asked = step->options().embedding;
    std::array<std::string, 2> columns;
    ARROW_ASSIGN_OR_RAISE(columns[0],
                          ResolveEmbeddingColumn(trusted, name + ", input `trusted`", {asked, ""}));
    ARROW_ASSIGN_OR_RAISE(
        columns[1], ResolveEmbeddingColumn(pool, name + ", input `pool`", {asked, columns[0]}));
    ARROW_ASSIGN_OR_RAISE(auto schema, AppendFields(pool, step->Fields(), name));
    return plan->EmplaceNode<FitNode>(plan, std::move(inputs), std::move(schema), std::move(step),
                                      std::move(columns));
  }

  const char* kind_name() const override { return "SpunaFitNode"; }

  const arrow::Ordering& ordering() const override { return inputs_[1]->ordering(); }

  arrow::Status StartProducing() override { return arrow::Status::OK(); }

  arrow::Status InputReceived(ExecNode* input, ExecBatch batch) override {
    Side& side = SideOf(input);
    {
      const std::scoped_lock lock(side.mutex);
      side.batches.push_back(std::move(batch));
    }
    return side.counter.Increment() ? SideComplete() : arrow::Status::OK();
  }

  arrow::Status InputFinished(ExecNode* input, int total_batches) override {
    return SideOf(input).counter.SetTotal(total_batches) ? SideComplete() : arrow::Status::OK();
  }

  // All rows of the pool are in memory already: there is nothing that a pause would save.
  void PauseProducing(ExecNode*, std::int32_t) override {}
  void ResumeProducing(ExecNode*, std::int32_t) override {}

 protected:
  arrow::Status StopProducingImpl() override { return arrow::Status::OK(); }
  std::string ToStringExtra(int = 0) const override { return step_->name(); }

 private:
  struct Side {
    std::string column;
    std::mutex mutex;
    std::vector<ExecBatch> batches;
    arrow::acero::AtomicCounter counter;
  };

  Side& SideOf(const ExecNode* input) { return sides_[input == inputs_[0] ? 0 : 1]; }

  arrow::Status SideComplete() {
    if (++num_complete_ < 2) return arrow::Status::OK();
    plan_->query_context()->ScheduleTask([this] { return Run(); }, step_->name());
    return arrow::Status::OK();
  }

  // The batches of a side in order, as record batches.
  arrow::Result<arrow::RecordBatchVector> TakeBatches(std::size_t i) {
    std::vector<ExecBatch> batches = std::move(sides_[i].batches);
    std::ranges::stable_sort(batches, {}, &ExecBatch::index);
    arrow::RecordBatchVector taken;
    taken.reserve(batches.size());
    for (ExecBatch& batch : batches) {
      ARROW_ASSIGN_OR_RAISE(
          taken.emplace_back(),
          batch.ToRecordBatch(inputs_[i]->output_schema(), plan_->query_context()->memory_pool()));
      batch = ExecBatch();
    }
    return taken;
  }

  FitInput EmptyInput(std::size_t i) const {
    FitInput input;
    input.column = sides_[i].column;
    input.where = std::string(step_->name()) + ", input `" + input_labels_[i] + "`";
    return input;
  }

  arrow::Result<FitInput> GatherTrusted() {
    ARROW_ASSIGN_OR_RAISE(const arrow::RecordBatchVector batches, TakeBatches(0));
    FitInput input = EmptyInput(0);
    for (const auto& batch : batches) {
      ARROW_RETURN_NOT_OK(input.Append(*batch, step_->options().invalid));
    }
    return input;
  }

  arrow::Result<NodePool> GatherPool(const arrow::RecordBatchVector& batches) const {
    NodePool pool{EmptyInput(1), batches, {}, {}, {}};
    ARROW_ASSIGN_OR_RAISE(StreamSample sample, StreamSample::Make(pool.input, step_->options()));
    const std::string preferred = step_->PreferredColumn();
    for (const auto& batch : batches) {
      const auto column = preferred.empty() ? nullptr : batch->GetColumnByName(preferred);
      ARROW_RETURN_NOT_OK(sample.Append(*batch, column.get()));
    }
    sample.Finish();
    if (sample.IsSampled()) pool.sampled_from = sample.num_rows();
    pool.valid = sample.valid();
    pool.fitted = sample.Fitted();
    return pool;
  }

  Runtime MakeRuntime(int num_threads) const {
    Runtime runtime;
    runtime.num_threads = std::clamp(num_threads, 1, kMaxThreads);
    runtime.should_stop = [this] { return stopped_.load(); };
    return runtime;
  }

  arrow::Status Run() {
    const arrow::Status status = CatchExceptions([&] { return RunOrThrow(); });
    // A plan that was stopped knows why; a limit that has enough is no error at all.
    return status.IsCancelled() && stopped_ ? arrow::Status::OK() : status;
  }

  arrow::Status RunOrThrow() {
    if (stopped_) return arrow::Status::OK();
    arrow::RecordBatchVector batches;
    {
      ARROW_ASSIGN_OR_RAISE(const FitInput trusted, GatherTrusted());
      ARROW_ASSIGN_OR_RAISE(batches, TakeBatches(1));
      ARROW_ASSIGN_OR_RAISE(NodePool pool, GatherPool(batches));
      // As many threads as the plan has; its own are mostly idle, waiting for this node.
      const Runtime runtime = MakeRuntime(plan_->query_context()->executor()->GetCapacity());
      ARROW_RETURN_NOT_OK(ReserveForThreads(runtime.num_threads));
      StageClock clock(runtime);
      ARROW_RETURN_NOT_OK(step_->Fit(trusted, std::move(pool), clock));
    }
    std::int64_t first_row = 0;
    int index = 0;
    for (auto& batch : batches) {
      const std::int64_t num_rows = batch->num_rows();
      plan_->query_context()->ScheduleTask(
          [this, rows = std::move(batch), first_row, index]() mutable {
            return Emit(std::move(rows), first_row, index);
          },
          step_->name());
      first_row += num_rows;
      ++index;
    }
    return output_->InputFinished(this, index);
  }

  arrow::Status Emit(std::shared_ptr<arrow::RecordBatch> rows, std::int64_t first_row, int index) {
    if (stopped_) return arrow::Status::OK();
    auto annotated = CatchExceptions([&]() -> arrow::Result<ExecBatch> {
      ARROW_ASSIGN_OR_RAISE(const FitStep::Columns columns,
                            step_->Annotate(*rows, first_row, MakeRuntime(1)));
      ARROW_ASSIGN_OR_RAISE(const auto appended,
                            AppendColumns(*rows, output_schema_, columns.arrays, columns.selected));
      return ExecBatch(*appended);
    });
    if (annotated.status().IsCancelled() && stopped_) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(ExecBatch batch, std::move(annotated));
    batch.index = index;
    rows.reset();
    return output_->InputReceived(this, std::move(batch));
  }

  std::unique_ptr<FitStep> step_;
  std::array<Side, 2> sides_;
  std::atomic<int> num_complete_{0};
};

}  // namespace

arrow::Result<ExecNode*> MakeFitNode(ExecPlan* plan, std::vector<ExecNode*> inputs,
                                     std::unique_ptr<FitStep> step) {
  return FitNode::Make(plan, std::move(inputs), std::move(step));
}

}  // namespace spuna::acero
