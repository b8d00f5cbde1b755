#pragma once

#include <arrow/acero/exec_plan.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/matrix/fit_input.h"
#include "pipelines/options/options.h"
#include "pipelines/run/runtime.h"

namespace spuna::acero {

/// The pool of a node: the rows that the fit sees, all of them or a sample, and all that came.
struct NodePool {
  FitInput input;
  const arrow::RecordBatchVector& batches;
  /// One byte for every row that came: whether it is valid; whether the input holds it, too.
  std::vector<std::uint8_t> valid;
  std::vector<std::uint8_t> fitted;
  /// How many rows came, where the input is a sample of them.
  std::optional<std::int64_t> sampled_from;
};

/// What a node with trusted rows and a pool does once it has all rows of both.
class FitStep {
 public:
  /// The columns of some pool rows.
  struct Columns {
    arrow::ArrayVector arrays;
    /// Which rows go on; null when all do.
    std::shared_ptr<arrow::BooleanArray> selected;
  };

  virtual ~FitStep() = default;

  /// Its name in Arrow's registry, for messages.
  virtual const char* name() const = 0;
  virtual const FitOptions& options() const = 0;

  /// The fields that it appends to the pool's.
  virtual arrow::FieldVector Fields() const = 0;

  /// The column of the pool whose rows a sample takes first, where they have a value; "" for none.
  virtual std::string PreferredColumn() const { return ""; }

  /// Does the work; called once.
  virtual arrow::Status Fit(const FitInput& trusted, NodePool pool, StageClock& clock) = 0;

  /// The columns of pool rows, the first of which has this number. Called after Fit, on several
  /// threads.
  virtual arrow::Result<Columns> Annotate(const arrow::RecordBatch& rows, std::int64_t first_row,
                                          const Runtime& runtime) const = 0;
};

/// Makes the node: it gathers both inputs, runs the step, and passes the pool's rows on in order.
arrow::Result<arrow::acero::ExecNode*> MakeFitNode(arrow::acero::ExecPlan* plan,
                                                   std::vector<arrow::acero::ExecNode*> inputs,
                                                   std::unique_ptr<FitStep> step);

}  // namespace spuna::acero
