#include "pipelines/evaluate.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>
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

  static arrow::Result<Column> Find(const arrow_io::InputFile& file, const ParquetInput& parquet,
                                    const std::string& name, const std::string& option,
                                    const std::string& expected) {
    Column column;
    column.name = name;
    column.expected = expected;
    column.where = "column '" + name + "' of " + parquet.name();
    const std::vector<int> named = parquet.schema()->GetAllFieldIndices(name);
    if (named.size() > 1) {
      return arrow::Status::Invalid(parquet.name(), ": ", named.size(), " columns are called '",
                                    name, "'; rename all but one");
    }
    if (named.size() == 1) {
      column.position = named[0];
      return column;
    }
    for (const auto& [key, value] : file.partitions) {
      if (key != name) continue;
      column.hive_value = value;
      return column;
    }
    return arrow::Status::Invalid(
        parquet.name(), ": there is no column '", name, "' as `", option,
        "` says; its columns are ",
        arrow_io::QuotedNames(*parquet.schema(), arrow_io::AllColumns(*parquet.schema())));
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

arrow::Status ReadPairs(const arrow_io::InputFile& file, const std::string& truth,
                        const std::string& score, const Runtime& runtime, Pairs& pairs) {
  ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file.path));
  ARROW_ASSIGN_OR_RAISE(const Column truth_column,
                        Column::Find(file, *parquet, truth, "truth", "a boolean or 0 or 1"));
  ARROW_ASSIGN_OR_RAISE(const Column score_column,
                        Column::Find(file, *parquet, score, "score", "numbers"));
  std::vector<int> columns;
  for (const int position : {truth_column.position, score_column.position}) {
    if (position >= 0) columns.push_back(position);
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return parquet->ForEachBatch(columns, [&](const ParquetInput::Batch& batch) -> arrow::Status {
    if (runtime.ShouldStop()) return arrow::Status::Cancelled("interrupted");
    ARROW_ASSIGN_OR_RAISE(const auto truths, truth_column.Values(*batch.rows));
    ARROW_ASSIGN_OR_RAISE(const auto scores, score_column.Values(*batch.rows));
    for (std::int64_t i = 0; i < batch.rows->num_rows(); ++i) {
      if (truths->IsNull(i) || scores->IsNull(i) || std::isnan(scores->Value(i))) {
        ++pairs.skipped;
        continue;
      }
      const double value = truths->Value(i);
      if (value != 0 && value != 1) {
        return arrow::Status::Invalid(truth_column.where, ": expected ", truth_column.expected,
                                      " but found ", algorithms::FormatNumber(value), " at row ",
                                      batch.first_row + i);
      }
      pairs.scores.push_back(scores->Value(i));
      pairs.shifted.push_back(value == 1 ? 1 : 0);
    }
    return arrow::Status::OK();
  });
}

}  // namespace

arrow::Result<Evaluation> Evaluate(const arrow_io::InputFiles& input, const std::string& truth,
                                   const std::string& score, const Runtime& runtime) {
  return CatchExceptions([&]() -> arrow::Result<Evaluation> {
    Pairs pairs;
    for (const arrow_io::InputFile& file : input.files) {
      ARROW_RETURN_NOT_OK(ReadPairs(file, truth, score, runtime, pairs));
    }
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
  });
}

}  // namespace spuna
