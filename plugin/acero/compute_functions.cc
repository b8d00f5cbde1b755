#include <arrow/array.h>
#include <arrow/compute/exec.h>
#include <arrow/compute/function.h>
#include <arrow/compute/kernel.h>
#include <arrow/compute/registry.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <optional>
#include <string>
#include <utility>

#include "pipelines/run/exception_status.h"
#include "pipelines/score/row_scorer.h"
#include "plugin/acero/model_registry_internal.h"
#include "plugin/acero/nodes_internal.h"

namespace spuna::acero {
namespace {

namespace cp = arrow::compute;

// Functions, since the library registers them while its globals are still being made.
cp::FunctionDoc ScoreDoc() {
  return {"Probability of being shifted, by a registered model",
          "The second argument is the name under which the model was registered.\n"
          "Null and non-finite embeddings give null.",
          {"embedding", "model"}};
}

cp::FunctionDoc KeepDoc() {
  return {"Whether to keep a row, by a registered model",
          "True where spuna_score is below the model's threshold. The second argument is\n"
          "the name under which the model was registered. Null and non-finite embeddings\n"
          "give null.",
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

// Column 0 of the scorer is the score, column 1 the decision.
arrow::Status Execute(const cp::ExecSpan& batch, std::size_t column, const char* function,
                      cp::ExecResult* out) {
  std::shared_ptr<arrow::Array> embeddings;
  if (batch[0].is_scalar()) {
    ARROW_ASSIGN_OR_RAISE(embeddings, arrow::MakeArrayFromScalar(*batch[0].scalar, batch.length));
  } else {
    embeddings = batch[0].array.ToArray();
  }
  ARROW_ASSIGN_OR_RAISE(const auto name, ModelName(batch[1]));
  if (!name) {
    ARROW_ASSIGN_OR_RAISE(const auto empty,
                          arrow::MakeEmptyArray(RowScorer::Fields(ScoreOptions())[column]->type()));
    out->value = empty->data();
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const auto model, FindModel(*name));
  ARROW_ASSIGN_OR_RAISE(const RowScorer scorer, RowScorer::Make(*model, ScoreOptions()));
  ARROW_ASSIGN_OR_RAISE(
      const ScoredRows scored,
      scorer.Score(embeddings, {"embedding", std::string("a call of ") + function, 0}, {}));
  out->value = scored.columns[column]->data();
  return arrow::Status::OK();
}

template <std::size_t kColumn>
arrow::Status ExecuteColumn(cp::KernelContext*, const cp::ExecSpan& batch, cp::ExecResult* out) {
  return CatchExceptions(
      [&] { return Execute(batch, kColumn, kColumn == 0 ? "spuna_score" : "spuna_keep", out); });
}

template <std::size_t kColumn>
arrow::Status AddFunction(const std::string& name, const cp::FunctionDoc& doc) {
  auto function = std::make_shared<cp::ScalarFunction>(name, cp::Arity::Binary(), doc);
  const auto type = RowScorer::Fields(ScoreOptions())[kColumn]->type();
  for (const arrow::Type::type embedding : {arrow::Type::FIXED_SIZE_LIST, arrow::Type::LIST,
                                            arrow::Type::LARGE_LIST, arrow::Type::EXTENSION}) {
    for (const arrow::Type::type text : {arrow::Type::STRING, arrow::Type::LARGE_STRING}) {
      cp::ScalarKernel kernel({cp::InputType(embedding), cp::InputType(text)}, type,
                              ExecuteColumn<kColumn>);
      kernel.null_handling = cp::NullHandling::COMPUTED_NO_PREALLOCATE;
      kernel.mem_allocation = cp::MemAllocation::NO_PREALLOCATE;
      ARROW_RETURN_NOT_OK(function->AddKernel(std::move(kernel)));
    }
  }
  return cp::GetFunctionRegistry()->AddFunction(std::move(function));
}

}  // namespace

arrow::Status AddComputeFunctions() {
  ARROW_RETURN_NOT_OK(AddFunction<0>("spuna_score", ScoreDoc()));
  return AddFunction<1>("spuna_keep", KeepDoc());
}

}  // namespace spuna::acero
