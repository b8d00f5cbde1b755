#include "pipelines/fit/pool_partition.h"

#include <arrow/record_batch.h>

#include <limits>
#include <memory>
#include <utility>

#include "algorithms/rows/ranking.h"
#include "pipelines/matrix/fit_input.h"
#include "pipelines/source/source.h"

namespace spuna {
namespace {

constexpr std::int64_t kDefaultNeighbors = 100;

arrow::Result<algorithms::EmbeddingsView> CheckedView(const MatrixView& matrix) {
  const auto& [values, num_rows, dimension] = matrix;
  if (num_rows < 0 || dimension < 1 || (num_rows > 0 && values == nullptr) ||
      num_rows > std::numeric_limits<std::int64_t>::max() / 4 / dimension) {
    return arrow::Status::Invalid("expected a matrix but found ", num_rows, " rows of dimension ",
                                  dimension);
  }
  return algorithms::EmbeddingsView{values, static_cast<std::size_t>(num_rows),
                                    static_cast<std::size_t>(dimension)};
}

}  // namespace

arrow::Result<PoolPartition> PoolPartition::Read(arrow::RecordBatchReader& rows,
                                                 std::int64_t first_number,
                                                 const FitOptions& options) {
  FitInput input;
  input.where = "the stream";
  ARROW_ASSIGN_OR_RAISE(
      input.column, ResolveEmbeddingColumn(*rows.schema(), input.where, {options.embedding, ""}));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(rows.ReadNext(&batch));
    if (batch == nullptr) break;
    ARROW_RETURN_NOT_OK(input.Append(*batch, options.invalid));
  }
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < input.rows.valid.size(); ++i) {
    if (input.rows.valid[i] != 0) {
      numbers.push_back(first_number + static_cast<std::int64_t>(i));
    }
  }
  algorithms::Matrix matrix{{input.rows.values.begin(), input.rows.values.end()},
                            static_cast<std::size_t>(input.rows.dimension)};
  return PoolPartition(algorithms::ExpansionPartition(
      std::move(matrix), std::move(numbers),
      static_cast<std::size_t>(options.k.value_or(kDefaultNeighbors))));
}

PoolPartition PoolPartition::Parse(std::string_view bytes) {
  return PoolPartition(algorithms::ExpansionPartition::Parse(bytes));
}

arrow::Result<std::string> PoolPartition::Serialize() const {
  if (part_.dimension() == 0) {
    return arrow::Status::Invalid("a part that never had a row can't be written");
  }
  return part_.Serialize();
}

arrow::Status PoolPartition::Merge(bool is_clean_bank, const MatrixView& added,
                                   const FitOptions& options, const Runtime& runtime) {
  ARROW_ASSIGN_OR_RAISE(const algorithms::EmbeddingsView rows, CheckedView(added));
  if (is_clean_bank) {
    part_.MergeClean(rows, options.neighbors, runtime.MakeExecution());
  } else {
    part_.MergeShifted(rows, options.neighbors, runtime.MakeExecution());
  }
  return arrow::Status::OK();
}

arrow::Result<GrowingEntropy> GrowingEntropy::Make(std::int64_t dimension) {
  if (dimension < 1) {
    return arrow::Status::Invalid("expected a dimension of 1 or more but found ", dimension);
  }
  return GrowingEntropy(static_cast<std::size_t>(dimension));
}

arrow::Result<double> GrowingEntropy::Add(const float* values, std::int64_t num_rows) {
  if (num_rows < 1) {
    return arrow::Status::Invalid("expected at least one row but found ", num_rows);
  }
  ARROW_ASSIGN_OR_RAISE(const auto rows,
                        CheckedView({values, num_rows, static_cast<std::int64_t>(dimension_)}));
  entropy_->Add(rows, algorithms::AllRows(rows.num_rows));
  return entropy_->Value();
}

}  // namespace spuna
