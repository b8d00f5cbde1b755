// The nodes are in files of their own: no source file.
#pragma once

#include <arrow/acero/exec_plan.h>
#include <arrow/acero/options.h>
#include <arrow/result.h>

#include <functional>
#include <vector>

namespace spuna::acero {

/// The options of a node, checked. Those of another node are an error.
template <typename Options>
arrow::Result<std::reference_wrapper<const Options>> CheckedOptions(
    const arrow::acero::ExecNodeOptions& options) {
  const auto* const checked = dynamic_cast<const Options*>(&options);
  if (checked == nullptr) {
    return arrow::Status::Invalid(Options::kName, ": expected its own options but found others");
  }
  ARROW_RETURN_NOT_OK(checked->Validate());
  return std::cref(*checked);
}

/// The factories of the nodes, as Arrow's registry wants them.
arrow::Result<arrow::acero::ExecNode*> MakeExpandNode(arrow::acero::ExecPlan* plan,
                                                      std::vector<arrow::acero::ExecNode*> inputs,
                                                      const arrow::acero::ExecNodeOptions& options);
arrow::Result<arrow::acero::ExecNode*> MakeDistillNode(
    arrow::acero::ExecPlan* plan, std::vector<arrow::acero::ExecNode*> inputs,
    const arrow::acero::ExecNodeOptions& options);
arrow::Result<arrow::acero::ExecNode*> MakeCleanNode(arrow::acero::ExecPlan* plan,
                                                     std::vector<arrow::acero::ExecNode*> inputs,
                                                     const arrow::acero::ExecNodeOptions& options);
arrow::Result<arrow::acero::ExecNode*> MakeScoreNode(arrow::acero::ExecPlan* plan,
                                                     std::vector<arrow::acero::ExecNode*> inputs,
                                                     const arrow::acero::ExecNodeOptions& options);

/// Adds the compute functions "spuna_score" and "spuna_keep" to Arrow's registry.
arrow::Status AddComputeFunctions();

}  // namespace spuna::acero
