#include "pipelines/score/evaluate.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "algorithms/compute/format_number.h"
#include "arrow_io/parquet_input.h"
#include "pipelines/run/exception_status.h"
#include "pipelines/source/named_column.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;

struct Pairs {
  std::vector<double> scores;
  std::vector<std::uint8_t> shifted;
  std::int64_t skipped = 0;
};

constexpr const char* kTruths = "a boolean or 0 or 1";

// The two columns of one file or stream.
struct Columns {
  NamedColumn truth;
  NamedColumn score;

  static arrow::Result<Columns> Find(
      const arrow::Schema& schema, const std::string& input,
      const std::vector<std::pair<std::string, std::string>>& hive_keys, const std::string& truth,
      const std::string& score) {
    Columns columns;
    ARROW_ASSIGN_OR_RAISE(columns.truth,
                          NamedColumn::Find(schema, input, hive_keys, truth, "truth"));
    ARROW_ASSIGN_OR_RAISE(columns.score,
                          NamedColumn::Find(schema, input, hive_keys, score, "score"));
    return columns;
  }

  arrow::Status Add(const arrow::RecordBatch& batch, std::int64_t first_row, Pairs& pairs) const {
    ARROW_ASSIGN_OR_RAISE(const auto truths, truth.Numbers(batch, kTruths));
    ARROW_ASSIGN_OR_RAISE(const auto scores, score.Numbers(batch, "numbers"));
    for (std::int64_t i = 0; i < batch.num_rows(); ++i) {
      if (truths->IsNull(i) || scores->IsNull(i) || std::isnan(scores->Value(i))) {
        ++pairs.skipped;
        continue;
      }
      const double value = truths->Value(i);
      if (value != 0 && value != 1) {
        return arrow::Status::Invalid(truth.where, ": expected ", kTruths, " but found ",
                                      algorithms::FormatNumber(value), " at row ", first_row + i);
      }
      pairs.scores.push_back(scores->Value(i));
      pairs.shifted.push_back(value == 1 ? 1 : 0);
    }
    return arrow::Status::OK();
  }
};

arrow::Result<Evaluation> EvaluatePairs(const Pairs& pairs, const std::string& truth) {
  Evaluation evaluation;
  evaluation.rows = static_cast<std::int64_t>(pairs.scores.size());
  evaluation.rows_skipped = pairs.skipped;
  auto evaluated = CatchExceptions([&]() -> arrow::Result<algorithms::DetectionMetrics> {
    return algorithms::EvaluateDetection(pairs.scores, pairs.shifted);
  });
  if (!evaluated.ok()) {
    return evaluated.status().WithMessage("column '", truth, "': ", evaluated.status().message(),
                                          " with a score (", pairs.skipped,
                                          " rows have no score or no truth)");
  }
  evaluation.metrics = *evaluated;
  return evaluation;
}

}  // namespace

arrow::Result<Evaluation> Evaluate(const Source& input, const std::string& truth,
                                   const std::string& score, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<Evaluation> {
    Pairs pairs;
    ARROW_RETURN_NOT_OK(input.ForEachFile(
        [&](std::size_t, const ParquetInput& parquet) -> arrow::Status {
          ARROW_ASSIGN_OR_RAISE(
              const Columns columns,
              Columns::Find(*parquet.schema(), parquet.name(), parquet.partitions(), truth, score));
          return parquet.ForEachBatch(Positions({&columns.truth, &columns.score}),
                                      [&](const ParquetInput::Batch& batch) -> arrow::Status {
                                        ARROW_RETURN_NOT_OK(runtime.CheckStop());
                                        return columns.Add(*batch.rows, batch.first_row, pairs);
                                      });
        },
        runtime));
    return EvaluatePairs(pairs, truth);
  });
}

arrow::Result<Evaluation> Evaluate(arrow::RecordBatchReader& input, const std::string& truth,
                                   const std::string& score, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<Evaluation> {
    ARROW_ASSIGN_OR_RAISE(const Columns columns,
                          Columns::Find(*input.schema(), "the stream", {}, truth, score));
    Pairs pairs;
    std::int64_t first_row = 0;
    while (true) {
      ARROW_RETURN_NOT_OK(runtime.CheckStop());
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(input.ReadNext(&batch));
      if (batch == nullptr) return EvaluatePairs(pairs, truth);
      ARROW_RETURN_NOT_OK(columns.Add(*batch, first_row, pairs));
      first_row += batch->num_rows();
    }
  });
}

}  // namespace spuna
