#include "pipelines/score/evaluate.h"

#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/support/parquet_files.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

using test::TempDirectory;

template <typename Builder, typename T>
std::shared_ptr<arrow::Array> ArrayOf(const std::vector<std::optional<T>>& values) {
  Builder builder;
  for (const auto& value : values) {
    test::Require(value ? builder.Append(*value) : builder.AppendNull());
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Numbers(const std::vector<std::optional<double>>& values) {
  return ArrayOf<arrow::DoubleBuilder>(values);
}

// Writes the two columns and evaluates them.
arrow::Result<Evaluation> EvaluateColumns(const std::shared_ptr<arrow::Array>& truth,
                                          const std::shared_ptr<arrow::Array>& score,
                                          const std::string& truth_name = "truth") {
  const TempDirectory directory;
  const auto schema =
      arrow::schema({arrow::field("truth", truth->type()), arrow::field("score", score->type())});
  test::WriteParquet(directory / "x.parquet", *arrow::Table::Make(schema, {truth, score}), 2);
  const auto input =
      Source::List({{directory / "x.parquet"}, "input"}, OnBadFile::kError).ValueOrDie();
  return Evaluate(input, truth_name, "score", {});
}

BOOST_AUTO_TEST_SUITE(evaluate)

BOOST_AUTO_TEST_CASE(takes_booleans_and_zeros_and_ones_of_any_type) {
  const auto score = Numbers({0.1, 0.9, 0.8, 0.2});
  for (const auto& truth :
       {ArrayOf<arrow::BooleanBuilder, bool>({false, true, true, false}),
        ArrayOf<arrow::Int64Builder, std::int64_t>({0, 1, 1, 0}),
        ArrayOf<arrow::UInt8Builder, std::uint8_t>({0, 1, 1, 0}), Numbers({0, 1, 1, 0})}) {
    const auto evaluation = EvaluateColumns(truth, score).ValueOrDie();
    BOOST_TEST(evaluation.metrics.auroc == 1);
    BOOST_TEST(evaluation.rows == 4);
  }
  const auto integer_score = ArrayOf<arrow::Int32Builder, int>({1, 9, 8, 2});
  BOOST_TEST(EvaluateColumns(ArrayOf<arrow::BooleanBuilder, bool>({false, true, true, false}),
                             integer_score)
                 ->metrics.auroc == 1);
}

BOOST_AUTO_TEST_CASE(skips_and_counts_rows_without_score_or_truth) {
  const auto truth = ArrayOf<arrow::BooleanBuilder, bool>({false, true, std::nullopt, true, false});
  const auto score = Numbers({0.1, 0.9, 0.5, std::nullopt, NAN});
  const auto evaluation = EvaluateColumns(truth, score).ValueOrDie();
  BOOST_TEST(evaluation.rows == 2);
  BOOST_TEST(evaluation.rows_skipped == 3);
}

BOOST_AUTO_TEST_CASE(refuses_a_truth_that_is_none) {
  const auto score = Numbers({0.1, 0.9});
  BOOST_TEST(EvaluateColumns(Numbers({0, 2}), score)
                 .status()
                 .message()
                 .ends_with("x.parquet: expected a boolean or 0 or 1 but found 2 at row 1"));
  BOOST_TEST(EvaluateColumns(ArrayOf<arrow::StringBuilder, std::string>({"no", "yes"}), score)
                 .status()
                 .message()
                 .ends_with("x.parquet: expected a boolean or 0 or 1 but found string"));
  BOOST_TEST(
      EvaluateColumns(Numbers({1, 1}), score).status().message() ==
      "column 'truth': expected rows of both classes but found 0 clean and 2 shifted rows with a "
      "score (0 rows have no score or no truth)");
  BOOST_TEST(
      EvaluateColumns(Numbers({0, 1}), score, "truht")
          .status()
          .message()
          .ends_with("x.parquet: there is no column 'truht' as `truth` says; its columns are "
                     "'truth', 'score'"));
}

BOOST_AUTO_TEST_CASE(the_truth_may_be_a_hive_key) {
  const TempDirectory directory;
  for (const auto& [folder, value] :
       {std::pair{"shifted=true", 0.8}, std::pair{"shifted=false", 0.2}}) {
    const auto scores = Numbers({value, value, value + 0.1});
    const auto schema = arrow::schema({arrow::field("score", scores->type())});
    test::WriteParquet(directory / (std::string(folder) + "/x.parquet"),
                       *arrow::Table::Make(schema, {scores}));
  }
  const auto input =
      Source::List({{directory.path().string()}, "input"}, OnBadFile::kError).ValueOrDie();
  const auto evaluation = Evaluate(input, "shifted", "score", {}).ValueOrDie();
  BOOST_TEST(evaluation.metrics.auroc == 1);
  BOOST_TEST(evaluation.rows == 6);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
