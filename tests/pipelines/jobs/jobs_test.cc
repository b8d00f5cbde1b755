#include "pipelines/jobs/jobs.h"

#include <arrow/api.h>
#include <arrow/extension/fixed_shape_tensor.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "pipelines/jobs/summary.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/random_rows.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using test::kDimension;
using test::Matrix;
using test::Scores;
using test::Threads;
using Example = test::FilesExample;

BOOST_AUTO_TEST_SUITE(jobs)

BOOST_AUTO_TEST_CASE(equal_rows_give_equal_models_whatever_the_layout_type_and_threads) {
  const Example example;
  BOOST_TEST_REQUIRE(Run(example.Fit("model"), Threads(1)).ok());
  const std::string expected = test::ReadFile(example.directory / "model");

  BOOST_TEST_REQUIRE(Run(example.Fit("threads"), Threads(3)).ok());
  BOOST_TEST(test::ReadFile(example.directory / "threads") == expected);

  FitJob kd_tree = example.Fit("kd-tree");
  kd_tree.options.neighbors = algorithms::SearchKind::kKdTree;
  BOOST_TEST_REQUIRE(Run(kd_tree, Threads(2)).ok());
  BOOST_TEST(test::ReadFile(example.directory / "kd-tree") == expected);

  FitJob product = example.Fit("product");
  product.options.neighbors = algorithms::SearchKind::kProduct;
  BOOST_TEST_REQUIRE(Run(product, Threads(2)).ok());
  BOOST_TEST(test::ReadFile(example.directory / "product") == expected);

  // The same rows in three files of other row groups and another column type.
  const auto table = test::EmbeddingTable(example.pool);
  const auto as_list = test::EmbeddingArray(example.pool, arrow::list(arrow::float64()));
  const auto lists = table
                         ->SetColumn(1, arrow::field("embedding", as_list->type()),
                                     std::make_shared<arrow::ChunkedArray>(as_list))
                         .ValueOrDie();
  test::WriteParquet(example.directory / "lake/a=1/x.parquet", *lists->Slice(0, 100), 7);
  test::WriteParquet(example.directory / "lake/a=2/x.parquet", *table->Slice(100, 1));
  test::WriteParquet(example.directory / "lake/a=2/y.parquet", *table->Slice(101), 33);
  BOOST_TEST_REQUIRE(Run(example.Fit("layout", {example.directory / "lake"}), Threads(2)).ok());
  BOOST_TEST(test::ReadFile(example.directory / "layout") == expected);

  FitJob other_seed = example.Fit("seed");
  other_seed.options.seed = 1;
  BOOST_TEST_REQUIRE(Run(other_seed, Threads(1)).ok());
  BOOST_TEST(test::ReadFile(example.directory / "seed") != expected);
}

BOOST_AUTO_TEST_CASE(a_cleaned_file_is_the_input_with_two_columns_more) {
  const Example example;
  const auto report = Run(example.Clean("out.parquet"), Threads(2));
  BOOST_TEST_REQUIRE(report.ok());
  const auto cleaned = test::ReadParquet(example.directory / "out.parquet");
  const auto original = test::ReadParquet(example.directory / "pool.parquet");
  BOOST_TEST_REQUIRE(cleaned->num_columns() == 5);
  BOOST_TEST(cleaned->SelectColumns({0, 1, 2}).ValueOrDie()->Equals(*original, true));
  BOOST_TEST(cleaned->schema()->field(3)->ToString() == "spuna_score: float");
  BOOST_TEST(cleaned->schema()->field(4)->ToString() == "spuna_keep: bool");
  std::int64_t kept = 0;
  const std::vector<float> scores = Scores(*cleaned);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    BOOST_TEST((scores[i] >= 0 && scores[i] <= 1));
    const auto keep = cleaned->GetColumnByName("spuna_keep")
                          ->GetScalar(static_cast<std::int64_t>(i))
                          .ValueOrDie();
    BOOST_TEST(static_cast<const arrow::BooleanScalar&>(*keep).value == (scores[i] < 0.5F));
    kept += scores[i] < 0.5F ? 1 : 0;
  }
  BOOST_TEST(report->score->counts.in == 300);
  BOOST_TEST(report->score->counts.kept == kept);
  BOOST_TEST(report->score->counts.dropped == 300 - kept);
}

BOOST_AUTO_TEST_CASE(the_same_layout_gives_the_same_bytes_and_another_the_same_scores) {
  const Example example;
  BOOST_TEST_REQUIRE(Run(example.Clean("one.parquet"), Threads(1)).ok());
  BOOST_TEST_REQUIRE(Run(example.Clean("two.parquet"), Threads(2)).ok());
  BOOST_TEST(test::ReadFile(example.directory / "one.parquet") ==
             test::ReadFile(example.directory / "two.parquet"));
  const auto table = test::EmbeddingTable(example.pool);
  test::WriteParquet(example.directory / "lake/0.parquet", *table->Slice(0, 1));
  test::WriteParquet(example.directory / "lake/1.parquet", *table->Slice(1), 11);
  BOOST_TEST_REQUIRE(Run(example.Clean("lake-out", {example.directory / "lake"}), Threads(2)).ok());
  std::vector<float> scores = Scores(*test::ReadParquet(example.directory / "lake-out/0.parquet"));
  const auto rest = Scores(*test::ReadParquet(example.directory / "lake-out/1.parquet"));
  scores.insert(scores.end(), rest.begin(), rest.end());
  const auto expected = Scores(*test::ReadParquet(example.directory / "one.parquet"));
  BOOST_TEST_REQUIRE(scores.size() == expected.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    BOOST_TEST(std::abs(scores[i] - expected[i]) <= 2e-6F);
  }
}

BOOST_AUTO_TEST_CASE(a_directory_becomes_a_directory_of_the_same_layout) {
  const Example example;
  const auto table = test::EmbeddingTable(example.pool);
  test::WriteParquet(example.directory / "lake/day=1/x.parquet", *table->Slice(0, 150), 50);
  test::WriteParquet(example.directory / "lake/day=2/sub/y.parquet", *table->Slice(150));
  CleanJob job = example.Clean("out", {example.directory / "lake"});
  const auto report = Run(job, Threads(2));
  BOOST_TEST_REQUIRE(report.ok());
  std::vector<std::string> names;
  for (const std::string& name : example.directory.List()) {
    if (name.starts_with("out/")) names.push_back(name);
  }
  const std::vector<std::string> expected = {"out/_SUCCESS",        "out/day=1",
                                             "out/day=1/x.parquet", "out/day=2",
                                             "out/day=2/sub",       "out/day=2/sub/y.parquet"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  const auto manifest =
      nlohmann::json::parse(test::ReadFile(example.directory / ".out.spuna/manifest.json"));
  BOOST_TEST(manifest["files"]["day=1/x.parquet"]["rows_in"] == 150);
  BOOST_TEST(manifest["total"]["rows_in"] == 300);
  // The same job has nothing to do, unless it is told to replace the output.
  BOOST_TEST(Run(job, Threads(1))->was_done);
  job.fit.overwrite = true;
  BOOST_TEST(!Run(job, Threads(1))->was_done);
}

BOOST_AUTO_TEST_CASE(invalid_rows_are_null_dropped_or_an_error) {
  Example example;
  example.pool.row(5)[1] = std::numeric_limits<float>::quiet_NaN();
  example.pool.row(6)[0] = std::numeric_limits<float>::infinity();
  test::WriteParquet(example.directory / "pool.parquet", *test::EmbeddingTable(example.pool), 90);

  CleanJob job = example.Clean("null.parquet");
  auto report = Run(job, Threads(1)).ValueOrDie();
  BOOST_TEST(report.fit->summary.rows_invalid_pool == 2);
  BOOST_TEST(report.fit->summary.rows_pool == 298);
  BOOST_TEST(report.score->counts.invalid == 2);
  auto table = test::ReadParquet(example.directory / "null.parquet");
  BOOST_TEST(table->num_rows() == 300);
  BOOST_TEST(std::isnan(Scores(*table)[5]));
  BOOST_TEST(table->GetColumnByName("spuna_keep")->GetScalar(6).ValueOrDie()->is_valid == false);
  BOOST_TEST(table->GetColumnByName("spuna_keep")->null_count() == 2);

  job = example.Clean("drop.parquet");
  job.fit.options.invalid = InvalidRows::kDrop;
  job.fit.labels = example.directory / "drop-labels.parquet";
  BOOST_TEST_REQUIRE(Run(job, Threads(1)).ok());
  table = test::ReadParquet(example.directory / "drop.parquet");
  BOOST_TEST(table->num_rows() == 298);
  BOOST_TEST(test::ReadParquet(example.directory / "drop-labels.parquet")->num_rows() == 298);

  job = example.Clean("error.parquet");
  job.fit.options.invalid = InvalidRows::kError;
  const std::string pool = example.directory / "pool.parquet";
  BOOST_TEST(Run(job, Threads(1)).status().message() ==
             "column 'embedding' of " + pool +
                 ": expected a finite embedding but found a null or a non-finite value at row 5; "
                 "`invalid` says that this is an error");
  BOOST_TEST(!fs::exists(example.directory / "error.parquet"));
}

BOOST_AUTO_TEST_CASE(dropping_leaves_the_kept_rows_in_their_order) {
  const Example example;
  BOOST_TEST_REQUIRE(Run(example.Clean("all.parquet"), Threads(1)).ok());
  CleanJob job = example.Clean("kept.parquet");
  job.drop = true;
  const auto report = Run(job, Threads(1)).ValueOrDie();
  const auto all = test::ReadParquet(example.directory / "all.parquet");
  const auto kept = test::ReadParquet(example.directory / "kept.parquet");
  BOOST_TEST(kept->num_rows() == report.score->counts.kept);
  std::vector<float> expected;
  for (const float score : Scores(*all)) {
    if (score < 0.5F) expected.push_back(score);
  }
  BOOST_TEST(Scores(*kept) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(dropping_leaves_invalid_rows_out_and_says_so) {
  const Example example;
  const auto table = test::EmbeddingTable(example.pool);
  const auto holes = test::EmbeddingArray(example.pool, test::FixedSizeFloats(kDimension), {5, 70});
  test::WriteParquet(example.directory / "pool.parquet",
                     *table
                          ->SetColumn(1, arrow::field("embedding", holes->type()),
                                      std::make_shared<arrow::ChunkedArray>(holes))
                          .ValueOrDie());
  CleanJob job = example.Clean("kept.parquet");
  job.drop = true;
  job.dropped = example.directory / "dropped.parquet";
  const auto report = Run(job, Threads(1)).ValueOrDie();
  const RowCounts& counts = report.score->counts;
  BOOST_TEST(counts.invalid == 2);
  const auto kept = test::ReadParquet(job.output);
  BOOST_TEST(kept->num_rows() == counts.kept);
  BOOST_TEST(kept->GetColumnByName("spuna_keep")->null_count() == 0);
  const auto dropped = test::ReadParquet(*job.dropped);
  BOOST_TEST(dropped->num_rows() == counts.dropped + 2);
  BOOST_TEST(dropped->GetColumnByName("spuna_keep")->null_count() == 2);
  BOOST_TEST(dropped->GetColumnByName("spuna_score")->null_count() == 2);
  BOOST_TEST(Summarize(report, "").find("2: null or non-finite, left out\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(trusted_rows_in_the_pool_are_counted) {
  Example example;
  for (const std::size_t row : {3, 10, 200}) {
    std::copy_n(example.trusted.row(row % 80), kDimension, example.pool.row(row));
  }
  test::WriteParquet(example.directory / "pool.parquet", *test::EmbeddingTable(example.pool));
  const auto report = Run(example.Fit("model"), Threads(1)).ValueOrDie();
  BOOST_TEST(report.fit->summary.rows_trusted_in_pool == 3);
  BOOST_TEST(ToJson(report)["rows_trusted_in_pool"] == 3);
}

BOOST_AUTO_TEST_CASE(every_embedding_type_gets_the_same_scores_through_parquet) {
  const Example example;
  BOOST_TEST_REQUIRE(Run(example.Fit("model"), Threads(1)).ok());
  // Values that float16 holds exactly.
  Matrix rows = test::RandomRows(40, kDimension, 5);
  for (float& value : rows.values) value = std::round(value * 64) / 64;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const auto& value : {arrow::float32(), arrow::float16(), arrow::float64()}) {
    for (const auto& type : {arrow::fixed_size_list(value, kDimension), arrow::list(value),
                             arrow::large_list(value)}) {
      arrays.push_back(test::EmbeddingArray(rows, type));
    }
  }
  arrays.push_back(arrow::ExtensionType::WrapArray(
      arrow::extension::fixed_shape_tensor(arrow::float32(), {2, 3}), arrays[0]));
  std::vector<float> expected;
  for (const auto& array : arrays) {
    BOOST_TEST_CONTEXT(array->type()->ToString()) {
      const auto schema = arrow::schema({arrow::field("embedding", array->type())});
      test::WriteParquet(example.directory / "in.parquet", *arrow::Table::Make(schema, {array}), 7);
      ScoreJob job;
      job.model = example.directory / "model";
      job.input = {example.directory / "in.parquet"};
      job.output = example.directory / "out.parquet";
      job.options.overwrite = true;
      BOOST_TEST_REQUIRE(Run(job, Threads(2)).ok());
      const auto scored = test::ReadParquet(job.output);
      if (expected.empty()) expected = Scores(*scored);
      BOOST_TEST(Scores(*scored) == expected, boost::test_tools::per_element());
      BOOST_TEST(scored->column(0)->Equals(*test::ReadParquet(job.input[0])->column(0)));
    }
  }
}

BOOST_AUTO_TEST_CASE(trusted_rows_and_pool_are_read_from_the_same_column) {
  const Example example;
  // The pool has another column that could hold embeddings, and the default name at that.
  const auto table = test::EmbeddingTable(example.pool);
  const auto noise = test::EmbeddingArray(test::RandomRows(300, kDimension, 77),
                                          test::FixedSizeFloats(kDimension));
  const auto two = table->RenameColumns({"id", "vector", "shifted"})
                       .ValueOrDie()
                       ->AddColumn(0, arrow::field("embedding", noise->type()),
                                   std::make_shared<arrow::ChunkedArray>(noise))
                       .ValueOrDie();
  test::WriteParquet(example.directory / "two.parquet", *two);
  test::WriteParquet(example.directory / "vector.parquet",
                     *test::EmbeddingTable(example.trusted)
                          ->RenameColumns({"id", "vector", "shifted"})
                          .ValueOrDie());
  FitJob job = example.Fit("model", {example.directory / "two.parquet"});
  job.trusted = {example.directory / "vector.parquet"};
  const auto report = Run(job, Threads(1)).ValueOrDie();
  BOOST_TEST(report.fit->options.embedding == "vector");
  // Every file of an input must have the column of the first.
  FitJob mixed = example.Fit(
      "mixed", {example.directory / "pool.parquet", example.directory / "vector.parquet"});
  BOOST_TEST(Run(mixed, Threads(1))
                 .status()
                 .message()
                 .find("vector.parquet: there is no column 'embedding'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_output_column_that_exists_is_refused) {
  const Example example;
  BOOST_TEST_REQUIRE(Run(example.Clean("once.parquet"), Threads(1)).ok());
  CleanJob again = example.Clean("twice.parquet", {example.directory / "once.parquet"});
  BOOST_TEST(Run(again, Threads(1))
                 .status()
                 .message()
                 .ends_with("there is a column 'spuna_score' already; choose other names with "
                            "`prefix`, or replace it with `--replace`"));
  again.fit.prefix = "again_";
  BOOST_TEST(Run(again, Threads(1)).ok());
  // Cleaned again and replaced, it is what it was.
  again.fit.prefix = "spuna_";
  again.replace = true;
  again.output = example.directory / "replaced.parquet";
  BOOST_TEST_REQUIRE(Run(again, Threads(1)).ok());
  BOOST_TEST(test::ReadFile(example.directory / "replaced.parquet") ==
             test::ReadFile(example.directory / "once.parquet"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
