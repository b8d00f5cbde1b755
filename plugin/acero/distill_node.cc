#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <string_view>
#include <utility>

#include "algorithms/expansion/expansion.h"
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

  // Whether the pool has a column of labels.
  static arrow::Status CheckLabels(const arrow::Schema& pool, const std::string& column) {
    const std::vector<int> named = pool.GetAllFieldIndices(column);
    if (named.size() == 1 && IsText(*pool.field(named[0])->type())) return arrow::Status::OK();
    return arrow::Status::Invalid(
        DistillNodeOptions::kName, ", input `pool`: expected one column '", column,
        "' of strings, as spuna_expand writes it, but found ",
        named.empty() ? "none" : pool.field(named[0])->type()->ToString());
  }

  arrow::Status Fit(const FitInput& trusted, FitInput pool, const arrow::RecordBatchVector& batches,
                    StageClock& clock) override {
    ARROW_ASSIGN_OR_RAISE(const algorithms::Expansion expansion,
                          ReadLabels(batches, pool.rows.valid));
    ARROW_ASSIGN_OR_RAISE(Model model, Distill(trusted, pool, expansion, options_.fit, clock));
    // Who made the labels, and why they end where they do, is not known here.
    model.summary.stopped_by = "given";
    return scorer_.SetModel(std::move(model), options_.on_model);
  }

  arrow::Result<Columns> Annotate(const arrow::RecordBatch& rows, std::int64_t first_row,
                                  const Runtime& runtime) const override {
    return scorer_.Score(rows, first_row, runtime);
  }

 private:
  static bool IsText(const arrow::DataType& type) {
    if (type.id() == arrow::Type::DICTIONARY) {
      return IsText(*static_cast<const arrow::DictionaryType&>(type).value_type());
    }
    return arrow::is_string(type.id()) || type.id() == arrow::Type::STRING_VIEW;
  }

  // The labels of the valid rows.
  arrow::Result<algorithms::Expansion> ReadLabels(const arrow::RecordBatchVector& batches,
                                                  const std::vector<std::uint8_t>& valid) const {
    const std::string column = options_.prefix + "label";
    algorithms::Expansion expansion;
    std::size_t row = 0;
    for (const auto& batch : batches) {
      ARROW_ASSIGN_OR_RAISE(const auto array,
                            arrow::compute::Cast(*batch->GetColumnByName(column), arrow::utf8()));
      const auto& labels = static_cast<const arrow::StringArray&>(*array);
      for (std::int64_t i = 0; i < labels.length(); ++i, ++row) {
        algorithms::PseudoLabel label = algorithms::PseudoLabel::kNone;
        if (!labels.IsNull(i)) {
          const std::string_view text = labels.GetView(i);
          if (text != "clean" && text != "shifted") {
            return arrow::Status::Invalid("column '", column, "' of ", name(),
                                          ": expected 'clean', 'shifted' or null but found '", text,
                                          "' at row ", row);
          }
          label =
              text == "clean" ? algorithms::PseudoLabel::kClean : algorithms::PseudoLabel::kShifted;
        }
        if (valid[row] == 0) continue;
        expansion.labels.push_back(label);
        expansion.rounds.push_back(label == algorithms::PseudoLabel::kNone ? -1 : 0);
      }
    }
    return expansion;
  }

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
