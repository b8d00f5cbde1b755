#include "tests/support/plans.h"

#include <arrow/acero/options.h>
#include <arrow/acero/query_context.h>
#include <arrow/acero/util.h>
#include <arrow/api.h>
#include <arrow/compute/exec.h>
#include <arrow/util/async_generator.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

#include "tests/support/parquet_files.h"

namespace spuna::test {
namespace {

using arrow::acero::ExecNode;
using arrow::acero::ExecPlan;
using arrow::compute::ExecBatch;

std::vector<std::optional<ExecBatch>> Batches(const arrow::Table& table,
                                              const BatchLayout& layout) {
  std::vector<std::optional<ExecBatch>> batches;
  auto add = [&](const arrow::Table& slice) {
    ExecBatch batch(*Get(slice.CombineChunksToBatch()));
    batch.index = static_cast<std::int64_t>(batches.size());
    batches.emplace_back(std::move(batch));
  };
  for (std::int64_t row = 0; row < table.num_rows(); row += layout.rows_per_batch) {
    if (layout.empty_batches) add(*table.Slice(row, 0));
    add(*table.Slice(row, layout.rows_per_batch));
  }
  return batches;
}

arrow::acero::Declaration MakeSource(const arrow::Table& table,
                                     arrow::AsyncGenerator<std::optional<ExecBatch>> generator) {
  return {"source", arrow::acero::SourceNodeOptions(table.schema(), std::move(generator),
                                                    arrow::compute::Ordering::Implicit())};
}

// Passes its batches on in another order, each with the index it came with.
class ShuffleNode : public ExecNode {
 public:
  struct Options : arrow::acero::ExecNodeOptions {
    explicit Options(std::uint64_t the_seed) : seed(the_seed) {}
    std::uint64_t seed;
  };

  ShuffleNode(ExecPlan* plan, std::vector<ExecNode*> inputs, std::uint64_t seed)
      : ExecNode(plan, inputs, {"input"}, inputs[0]->output_schema()), random_(seed) {}

  const char* kind_name() const override { return "ShuffleNode"; }
  const arrow::Ordering& ordering() const override { return inputs_[0]->ordering(); }
  arrow::Status StartProducing() override { return arrow::Status::OK(); }
  void PauseProducing(ExecNode*, std::int32_t) override {}
  void ResumeProducing(ExecNode*, std::int32_t) override {}
  arrow::Status StopProducingImpl() override { return arrow::Status::OK(); }

  arrow::Status InputReceived(ExecNode*, ExecBatch batch) override {
    {
      const std::scoped_lock lock(mutex_);
      batches_.push_back(std::move(batch));
    }
    return counter_.Increment() ? Emit() : arrow::Status::OK();
  }
  arrow::Status InputFinished(ExecNode*, int total_batches) override {
    // The end is announced before the first batch, as nodes must bear.
    ARROW_RETURN_NOT_OK(output_->InputFinished(this, total_batches));
    return counter_.SetTotal(total_batches) ? Emit() : arrow::Status::OK();
  }

 private:
  arrow::Status Emit() {
    std::ranges::shuffle(batches_, random_);
    for (ExecBatch& batch : batches_) {
      auto shared = std::make_shared<ExecBatch>(std::move(batch));
      plan_->query_context()->ScheduleTask(
          [this, shared] { return output_->InputReceived(this, std::move(*shared)); }, "shuffle");
    }
    return arrow::Status::OK();
  }

  std::mutex mutex_;
  std::vector<ExecBatch> batches_;
  arrow::acero::AtomicCounter counter_;
  std::mt19937_64 random_;
};

void RegisterShuffle() {
  static const arrow::Status registered = arrow::acero::default_exec_factory_registry()->AddFactory(
      "shuffle",
      [](ExecPlan* plan, std::vector<ExecNode*> inputs,
         const arrow::acero::ExecNodeOptions& options) -> arrow::Result<ExecNode*> {
        const auto& shuffle = static_cast<const ShuffleNode::Options&>(options);
        return plan->EmplaceNode<ShuffleNode>(plan, std::move(inputs), shuffle.seed);
      });
  Require(registered);
}

}  // namespace

arrow::acero::Declaration Source(const arrow::Table& table, const BatchLayout& layout) {
  auto source = MakeSource(table, arrow::MakeVectorGenerator(Batches(table, layout)));
  if (layout.shuffle_seed == 0) return source;
  RegisterShuffle();
  return {"shuffle", {std::move(source)}, ShuffleNode::Options(layout.shuffle_seed)};
}

arrow::acero::Declaration BrokenSource(const arrow::Table& table, std::int64_t rows_per_batch,
                                       int good_batches) {
  BatchLayout layout;
  layout.rows_per_batch = rows_per_batch;
  auto rest = std::make_shared<std::vector<std::optional<ExecBatch>>>(Batches(table, layout));
  auto next = std::make_shared<int>(0);
  return MakeSource(table, [=]() -> arrow::Future<std::optional<ExecBatch>> {
    if (*next == good_batches) return arrow::Status::IOError("the source is broken");
    return (*rest)[static_cast<std::size_t>((*next)++)];
  });
}

std::shared_ptr<arrow::Table> RunPlan(const arrow::acero::Declaration& plan, bool use_threads) {
  arrow::acero::QueryOptions options;
  options.use_threads = use_threads;
  options.sequence_output = true;
  return Get(Get(arrow::acero::DeclarationToTable(plan, options))->CombineChunks());
}

}  // namespace spuna::test
