// The compute functions; nodes_internal.h declares what registers them.
#include <arrow/array.h>
#include <arrow/compute/exec.h>
#include <arrow/compute/function.h>
#include <arrow/compute/kernel.h>
#include <arrow/compute/registry.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/thread_pool.h>

#include <optional>
#include <string>
#include <utility>

#include "pipelines/run/exception_status.h"
#include "pipelines/score/batch_scorer.h"
#include "plugin/acero/model_registry_internal.h"
#include "plugin/acero/nodes_internal.h"

namespace spuna::acero {
namespace {

namespace cp = arrow::compute;

// What the only column of the rows is called.
constexpr const char* kColumn = "embedding";

// Functions, since the library registers them while its globals are still being made.
cp::FunctionDoc ScoreDoc() {
  return {"Probability of being shifted, by a registered model",
          "The second argument is the name under which the model was registered.\n"
          "Null and non-finite embeddings give null.",
          {"embedding", "model"}};
}

cp::FunctionDoc KeepDoc() {
  return {"Whether to keep a row, by a registered model",
          "True where the model keeps the row: spuna_score is below its threshold or, where\n"
          "p-values decide, the p-value is above its cutoff. The second argument is the name\n"
          "under which the model was registered. Null and non-finite embeddings give null.",
          {"embedding", "model"}};
}

// The name of the model, which must be one for all rows. None when there are no rows.
arrow::Result<std::optional<std::string>> ModelName(const cp::ExecValue& value) {
  if (value.is_scalar()) {
    if (!value.scalar->is_valid) return arrow::Status::Invalid("the name of the model is null");
    return static_cast<const arrow::BaseBinaryScalar&>(*value.scalar).value->ToString();
  }
  const auto names = value.array.ToArray();
  if (names->length() == 0) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(const auto first, names->GetScalar(0));
  for (std::int64_t i = 1; i < names->length(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const auto other, names->GetScalar(i));
    if (!other->Equals(*first)) {
      return arrow::Status::Invalid(
          "the name of the model must be one for all rows, but there are ", first->ToString(),
          " and ", other->ToString());
    }
  }
  if (!first->is_valid) return arrow::Status::Invalid("the name of the model is null");
  return static_cast<const arrow::BaseBinaryScalar&>(*first).value->ToString();
}

// What a function returns of the scored rows.
enum class Returned { kScore, kKeep };

struct ScoreFunction {
  static constexpr Returned kReturned = Returned::kScore;
  static constexpr const char* kName = "spuna_score";
  static std::shared_ptr<arrow::DataType> Type() { return arrow::float32(); }
};

struct KeepFunction {
  static constexpr Returned kReturned = Returned::kKeep;
  static constexpr const char* kName = "spuna_keep";
  static std::shared_ptr<arrow::DataType> Type() { return arrow::boolean(); }
};

template <typename Function>
arrow::Status Execute(const cp::ExecSpan& batch, cp::ExecResult* out) {
  std::shared_ptr<arrow::Array> embeddings;
  if (batch[0].is_scalar()) {
    ARROW_ASSIGN_OR_RAISE(embeddings, arrow::MakeArrayFromScalar(*batch[0].scalar, batch.length));
  } else {
    embeddings = batch[0].array.ToArray();
  }
  ARROW_ASSIGN_OR_RAISE(const auto name, ModelName(batch[1]));
  if (!name) {
    ARROW_ASSIGN_OR_RAISE(const auto empty, arrow::MakeEmptyArray(Function::Type()));
    out->value = empty->data();
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(ReserveForThreads(arrow::GetCpuThreadPoolCapacity()));
  ARROW_ASSIGN_OR_RAISE(auto model, FindModel(*name));
  ARROW_ASSIGN_OR_RAISE(auto prepared, PreparedModel::Make(std::move(model), ScoreOptions()));
  const BatchScorer scorer = BatchScorer::MakeForColumn(
      std::move(prepared), std::string("a call of ") + Function::kName, kColumn);
  const auto rows =
      arrow::RecordBatch::Make(arrow::schema({arrow::field(kColumn, embeddings->type())}),
                               embeddings->length(), {embeddings});
  ARROW_ASSIGN_OR_RAISE(const ScoredBatch scored, scorer.Score(*rows, 0, {}));
  if constexpr (Function::kReturned == Returned::kScore) {
    out->value = scored.score->data();
  } else {
    out->value = scored.keep->data();
  }
  return arrow::Status::OK();
}

template <typename Function>
arrow::Status AddFunction(const cp::FunctionDoc& doc) {
  auto function = std::make_shared<cp::ScalarFunction>(Function::kName, cp::Arity::Binary(), doc);
  for (const arrow::Type::type embedding : {arrow::Type::FIXED_SIZE_LIST, arrow::Type::LIST,
                                            arrow::Type::LARGE_LIST, arrow::Type::EXTENSION}) {
    for (const arrow::Type::type text : {arrow::Type::STRING, arrow::Type::LARGE_STRING}) {
      auto execute = [](cp::KernelContext*, const cp::ExecSpan& batch, cp::ExecResult* out) {
        return CatchExceptions([&] { return Execute<Function>(batch, out); });
      };
      cp::ScalarKernel kernel({cp::InputType(embedding), cp::InputType(text)}, Function::Type(),
                              execute);
      kernel.null_handling = cp::NullHandling::COMPUTED_NO_PREALLOCATE;
      kernel.mem_allocation = cp::MemAllocation::NO_PREALLOCATE;
      ARROW_RETURN_NOT_OK(function->AddKernel(std::move(kernel)));
    }
  }
  return cp::GetFunctionRegistry()->AddFunction(std::move(function));
}

}  // namespace

arrow::Status AddComputeFunctions() {
  ARROW_RETURN_NOT_OK(AddFunction<ScoreFunction>(ScoreDoc()));
  return AddFunction<KeepFunction>(KeepDoc());
}

}  // namespace spuna::acero
