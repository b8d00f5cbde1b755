#include "pipelines/evaluate.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "algorithms/format_number.h"
#include "arrow_io/embedding_column.h"
#include "arrow_io/parquet_input.h"
#include "pipelines/exception_status.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;

struct Pairs {
  std::vector<double> scores;
  std::vector<std::uint8_t> shifted;
  std::int64_t skipped = 0;
};

// A column of numbers or booleans as float64, nulls kept.
arrow::Result<std::shared_ptr<arrow::DoubleArray>> AsDoubles(
    const std::shared_ptr<arrow::Array>& column, const std::string& expected,
    const std::string& where) {
  if (!arrow::is_numeric(column->type_id()) && column->type_id() != arrow::Type::BOOL) {
    return arrow::Status::Invalid(where, ": expected ", expected, " but found ",
                                  column->type()->ToString());
  }
  ARROW_ASSIGN_OR_RAISE(auto doubles, arrow::compute::Cast(*column, arrow::float64(),
                                                           arrow::compute::CastOptions::Unsafe()));
  return std::static_pointer_cast<arrow::DoubleArray>(doubles);
}

// One of the two columns within one file: a column of the file, or a hive key with one value for
// all.
struct Column {
  std::string name;
  std::string where;
  // What its values should be, for messages.
  std::string expected;
  int position = -1;
  std::string hive_value;

  // `input` names the file or stream; `hive_keys` are those of its path.
  static arrow::Result<Column> Find(
      const arrow::Schema& schema, const std::string& input,
      const std::vector<std::pair<std::string, std::string>>& hive_keys, const std::string& name,
      const std::string& option, const std::string& expected) {
    Column column;
    column.name = name;
    column.expected = expected;
    column.where = "column '" + name + "' of " + input;
    const std::vector<int> named = schema.GetAllFieldIndices(name);
    if (named.size() > 1) {
      return arrow::Status::Invalid(input, ": ", named.size(), " columns are called '", name,
                                    "'; rename all but one");
    }
    if (named.size() == 1) {
      column.position = named[0];
      return column;
    }
    for (const auto& [key, value] : hive_keys) {
      if (key != name) continue;
      column.hive_value = value;
      return column;
    }
    return arrow::Status::Invalid(input, ": there is no column '", name, "' as `", option,
                                  "` says; its columns are ",
                                  arrow_io::QuotedNames(schema, arrow_io::AllColumns(schema)));
  }

  arrow::Result<std::shared_ptr<arrow::DoubleArray>> Values(const arrow::RecordBatch& batch) const {
    if (position >= 0) return AsDoubles(batch.GetColumnByName(name), expected, where);
    double value = hive_value == "true" ? 1 : 0;
    if (hive_value != "true" && hive_value != "false") {
      const auto parsed = arrow::Scalar::Parse(arrow::float64(), hive_value);
      if (!parsed.ok()) {
        return arrow::Status::Invalid(where, ": expected ", expected, " but found '", hive_value,
                                      "' in its path");
      }
      value = static_cast<const arrow::DoubleScalar&>(**parsed).value;
    }
    ARROW_ASSIGN_OR_RAISE(auto array,
                          arrow::MakeArrayFromScalar(arrow::DoubleScalar(value), batch.num_rows()));
    return std::static_pointer_cast<arrow::DoubleArray>(array);
  }
};

// The two columns of one file or stream.
struct Columns {
  Column truth;
  Column score;

  static arrow::Result<Columns> Find(
      const arrow::Schema& schema, const std::string& input,
      const std::vector<std::pair<std::string, std::string>>& hive_keys, const std::string& truth,
      const std::string& score) {
    Columns columns;
    ARROW_ASSIGN_OR_RAISE(columns.truth, Column::Find(schema, input, hive_keys, truth, "truth",
                                                      "a boolean or 0 or 1"));
    ARROW_ASSIGN_OR_RAISE(columns.score,
                          Column::Find(schema, input, hive_keys, score, "score", "numbers"));
    return columns;
  }

  // Those that are in the input itself, ascending.
  std::vector<int> Positions() const {
    std::vector<int> positions;
    for (const int position : {truth.position, score.position}) {
      if (position >= 0) positions.push_back(position);
    }
    std::ranges::sort(positions);
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    return positions;
  }

  arrow::Status Add(const arrow::RecordBatch& batch, std::int64_t first_row, Pairs& pairs) const {
    ARROW_ASSIGN_OR_RAISE(const auto truths, truth.Values(batch));
    ARROW_ASSIGN_OR_RAISE(const auto scores, score.Values(batch));
    for (std::int64_t i = 0; i < batch.num_rows(); ++i) {
      if (truths->IsNull(i) || scores->IsNull(i) || std::isnan(scores->Value(i))) {
        ++pairs.skipped;
        continue;
      }
      const double value = truths->Value(i);
      if (value != 0 && value != 1) {
        return arrow::Status::Invalid(truth.where, ": expected ", truth.expected, " but found ",
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

arrow::Result<Evaluation> Evaluate(const arrow_io::InputFiles& input, const std::string& truth,
                                   const std::string& score, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<Evaluation> {
    Pairs pairs;
    for (const arrow_io::InputFile& file : input.files) {
      ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file));
      ARROW_ASSIGN_OR_RAISE(
          const Columns columns,
          Columns::Find(*parquet->schema(), parquet->name(), file.partitions, truth, score));
      ARROW_RETURN_NOT_OK(
          parquet->ForEachBatch(columns.Positions(), [&](const auto& batch) -> arrow::Status {
            if (runtime.ShouldStop()) return arrow::Status::Cancelled("interrupted");
            return columns.Add(*batch.rows, batch.first_row, pairs);
          }));
    }
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
      if (runtime.ShouldStop()) return arrow::Status::Cancelled("interrupted");
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(input.ReadNext(&batch));
      if (batch == nullptr) return EvaluatePairs(pairs, truth);
      ARROW_RETURN_NOT_OK(columns.Add(*batch, first_row, pairs));
      first_row += batch->num_rows();
    }
  });
}

}  // namespace spuna
