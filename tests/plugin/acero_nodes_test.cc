// What the nodes compute: the same as the command, whatever the batches.
#include <arrow/acero/exec_plan.h>
#include <arrow/acero/options.h>
#include <arrow/api.h>
#include <arrow/extension/fixed_shape_tensor.h>

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "pipelines/fit/stream_fit.h"
#include "plugin/acero/node_options.h"
#include "plugin/acero/register.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/plans.h"

namespace spuna::acero {
namespace {

using arrow::acero::Declaration;
using test::BatchLayout;
using test::RunPlan;
using test::Source;

const std::vector<BatchLayout> kLayouts = {
    {},
    {.rows_per_batch = 1},
    {.rows_per_batch = 7, .shuffle_seed = 1},
    {.rows_per_batch = 64, .empty_batches = true, .shuffle_seed = 2},
};

struct Example : test::FilesExample {
  std::shared_ptr<arrow::Table> trusted_table = test::EmbeddingTable(trusted);
  std::shared_ptr<arrow::Table> pool_table = test::EmbeddingTable(pool);
  FitOptions options = Fit("model").options;

  Example() { test::Require(Register()); }

  Declaration Clean(const BatchLayout& layout = {}) const {
    return {"spuna_clean",
            {Source(*trusted_table, layout), Source(*pool_table, layout)},
            CleanNodeOptions(options)};
  }
};

// The pool's columns, then label and round from `fit --labels`, then score and keep from `clean`.
std::shared_ptr<arrow::Table> ByTheCommand(const Example& example) {
  CleanJob job = example.Example::FilesExample::Clean("cleaned.parquet");
  job.fit.labels = example.directory / "labels.parquet";
  job.fit.overwrite = true;
  test::Require(Run(job, test::Threads(2)).status());
  const auto cleaned = test::ReadParquet(job.output);
  const auto labels = test::ReadParquet(*job.fit.labels);
  auto table = example.pool_table;
  for (const char* name : {"spuna_label", "spuna_round", "spuna_score", "spuna_keep"}) {
    const auto column = (labels->GetColumnByName(name) ? labels : cleaned)->GetColumnByName(name);
    const auto field = arrow::field(name, column->type());
    table = test::Get(table->AddColumn(table->num_columns(), field, column));
  }
  return test::Get(table->CombineChunks());
}

std::shared_ptr<arrow::Table> Without(std::shared_ptr<arrow::Table> table, const char* column) {
  return test::Get(table->RemoveColumn(table->schema()->GetFieldIndex(column)));
}

// All columns but the score to the bit, the score within what batches may change.
void CheckSameRows(const arrow::Table& found, const arrow::Table& expected) {
  BOOST_TEST(Without(found.SelectColumns(std::vector<int>{0, 1, 2, 3, 4, 5, 6}).ValueOrDie(),
                     "spuna_score")
                 ->Equals(*Without(
                     expected.SelectColumns(std::vector<int>{0, 1, 2, 3, 4, 5, 6}).ValueOrDie(),
                     "spuna_score")),
             found.ToString() << expected.ToString());
  const auto scores = test::Scores(found);
  const auto expected_scores = test::Scores(expected);
  BOOST_REQUIRE(scores.size() == expected_scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    BOOST_TEST(std::abs(scores[i] - expected_scores[i]) <= 2e-6);
  }
}

BOOST_FIXTURE_TEST_SUITE(acero_nodes, Example)

BOOST_AUTO_TEST_CASE(clean_is_the_command) {
  const auto expected = ByTheCommand(*this);
  for (const BatchLayout& layout : kLayouts) {
    for (const bool use_threads : {false, true}) {
      BOOST_TEST_CONTEXT("rows per batch " << layout.rows_per_batch << ", threads "
                                           << use_threads) {
        CheckSameRows(*RunPlan(Clean(layout), use_threads), *expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_same_batches_give_the_same_bits) {
  // The command reads the pool in row groups of 90 rows.
  BatchLayout layout;
  layout.rows_per_batch = 90;
  for (const bool use_threads : {false, true}) {
    BOOST_TEST(RunPlan(Clean(layout), use_threads)->Equals(*ByTheCommand(*this)));
  }
}

BOOST_AUTO_TEST_CASE(expand_then_distill_is_clean) {
  for (std::size_t i = 0; i < 2 * kLayouts.size(); ++i) {
    const BatchLayout& layout = kLayouts[i / 2];
    const bool use_threads = i % 2 == 0;
    const Declaration expand{"spuna_expand",
                             {Source(*trusted_table, layout), Source(*pool_table, layout)},
                             ExpandNodeOptions(options)};
    const Declaration distill{
        "spuna_distill", {Source(*trusted_table, layout), expand}, DistillNodeOptions(options)};
    BOOST_TEST(RunPlan(distill, use_threads)->Equals(*RunPlan(Clean(layout))));
  }
}

BOOST_AUTO_TEST_CASE(score_is_the_command_and_keeps_the_order) {
  std::shared_ptr<const Model> model;
  auto clean = Clean();
  clean.options = std::make_shared<CleanNodeOptions>(
      options, "spuna_", [&](std::shared_ptr<const Model> fitted) { model = std::move(fitted); });
  const auto cleaned = RunPlan(clean);
  BOOST_REQUIRE(model != nullptr);
  for (const BatchLayout& layout : kLayouts) {
    for (const bool use_threads : {false, true}) {
      const auto scored = RunPlan(
          {"spuna_score", {Source(*pool_table, layout)}, ScoreNodeOptions(model)}, use_threads);
      BOOST_TEST(scored->GetColumnByName("id")->Equals(cleaned->GetColumnByName("id")));
      BOOST_TEST(
          scored->GetColumnByName("spuna_keep")->Equals(cleaned->GetColumnByName("spuna_keep")));
      const auto scores = test::Scores(*scored);
      const auto expected = test::Scores(*cleaned);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        BOOST_TEST(std::abs(scores[i] - expected[i]) <= 2e-6);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_model_that_a_plan_fits_is_the_commands) {
  std::string bytes;
  auto clean = Clean({.rows_per_batch = 11, .shuffle_seed = 3});
  clean.options = std::make_shared<CleanNodeOptions>(
      options, "spuna_", [&](const auto& model) { bytes = SerializeModel(*model); });
  RunPlan(clean);
  const FitJob job = Fit("model");
  test::Require(Run(job, test::Threads(1)).status());
  BOOST_TEST(bytes == SerializeModel(test::Get(spuna::LoadModel(*job.model))));
}

BOOST_AUTO_TEST_CASE(a_large_pool_is_sampled_as_a_stream_is) {
  options.fit_rows = 120;
  options.alpha = 5;
  std::string bytes;
  for (const BatchLayout& layout : kLayouts) {
    auto clean = Clean(layout);
    clean.options = std::make_shared<CleanNodeOptions>(
        options, "spuna_", [&](const auto& model) { bytes = SerializeModel(*model); });
    const auto cleaned = RunPlan(clean);
    BOOST_TEST(cleaned->num_rows() == 300);
    // Rows outside the sample have a score and no label.
    BOOST_TEST(cleaned->GetColumnByName("spuna_label")->null_count() >= 180);
    BOOST_TEST(cleaned->GetColumnByName("spuna_score")->null_count() == 0);
    const Model model = test::Get(ParseModel(bytes, "of the node"));
    BOOST_TEST((model.summary.sampled_from == 300));
    BOOST_TEST(model.summary.rows_pool == 120);
    arrow::TableBatchReader trusted_reader(*trusted_table);
    arrow::TableBatchReader pool_reader(*pool_table);
    const Runtime runtime;
    StageClock clock(runtime);
    const FitResult streamed =
        test::Get(FitStreams(trusted_reader, pool_reader, {options, {}, ""}, clock));
    BOOST_TEST(bytes == SerializeModel(streamed.model));
    const Declaration expand{"spuna_expand",
                             {Source(*trusted_table, layout), Source(*pool_table, layout)},
                             ExpandNodeOptions(options)};
    const Declaration distill{
        "spuna_distill", {Source(*trusted_table, layout), expand}, DistillNodeOptions(options)};
    BOOST_TEST(RunPlan(distill)->Equals(*cleaned));
  }
}

BOOST_AUTO_TEST_CASE(rows_outside_the_sample_are_not_invalid) {
  options.fit_rows = 120;
  options.alpha = 5;
  options.invalid = InvalidRows::kDrop;
  const auto type = test::FixedSizeFloats(test::kDimension);
  const auto column = std::make_shared<arrow::ChunkedArray>(
      test::EmbeddingArray(pool, type, /*null_rows=*/{3, 250}));
  pool_table = test::Get(pool_table->SetColumn(1, arrow::field("embedding", type), column));
  for (const BatchLayout& layout : kLayouts) {
    auto expand = [&] {
      return Declaration{"spuna_expand",
                         {Source(*trusted_table, layout), Source(*pool_table, layout)},
                         ExpandNodeOptions(options)};
    };
    const auto labeled = RunPlan(expand());
    BOOST_TEST(labeled->num_rows() == 298);
    // Row numbers are others after the drop; the labeled rows are learned from all the same.
    std::int64_t learned = 0;
    RunPlan({"spuna_distill",
             {Source(*trusted_table, layout), expand()},
             DistillNodeOptions(options, "spuna_", [&](const auto& model) {
               learned = model->summary.labeled_clean + model->summary.labeled_shifted;
             })});
    BOOST_TEST(learned == 298 - labeled->GetColumnByName("spuna_label")->null_count());
  }
}

BOOST_AUTO_TEST_CASE(a_sample_by_partition_needs_partitions) {
  options.fit_sample = FitSample::kByPartition;
  BOOST_TEST(arrow::acero::DeclarationToTable(Clean()).status().message() ==
             "`fit-sample` by-partition is for fits on Parquet files: spuna_clean, input `pool` "
             "has no hive partitions");
}

BOOST_AUTO_TEST_CASE(invalid_rows_are_null_dropped_or_an_error) {
  const auto type = test::FixedSizeFloats(test::kDimension);
  const auto column = std::make_shared<arrow::ChunkedArray>(
      test::EmbeddingArray(pool, type, /*null_rows=*/{3, 250}));
  pool_table = test::Get(pool_table->SetColumn(1, arrow::field("embedding", type), column));
  const BatchLayout layout{.rows_per_batch = 40, .shuffle_seed = 1};

  const auto with_nulls = RunPlan(Clean(layout));
  BOOST_TEST(with_nulls->num_rows() == 300);
  for (const char* name : {"spuna_label", "spuna_round", "spuna_score", "spuna_keep"}) {
    BOOST_TEST(test::Get(with_nulls->GetColumnByName(name)->GetScalar(3))->is_valid == false);
  }
  BOOST_TEST(with_nulls->GetColumnByName("spuna_keep")->null_count() == 2);

  options.invalid = InvalidRows::kDrop;
  const auto dropped = RunPlan(Clean(layout));
  BOOST_TEST(dropped->num_rows() == 298);
  BOOST_TEST(dropped->GetColumnByName("spuna_score")->null_count() == 0);

  options.invalid = InvalidRows::kError;
  const auto failed = arrow::acero::DeclarationToTable(Clean(layout));
  BOOST_TEST(failed.status().message() ==
             "column 'embedding' of spuna_clean, input `pool`: expected a finite embedding but "
             "found a null or a non-finite value at row 3; `invalid` says that this is an error");
}

BOOST_AUTO_TEST_CASE(every_embedding_type_and_every_neighbor_column_goes_through) {
  const auto plain = RunPlan(Clean());
  const auto dimension = static_cast<std::int32_t>(test::kDimension);
  for (const auto& type : {arrow::list(arrow::float32()), arrow::large_list(arrow::float64()),
                           arrow::fixed_size_list(arrow::float64(), dimension),
                           arrow::fixed_size_list(arrow::float16(), dimension)}) {
    // A slice that starts within the array, beside a dictionary and a column of strings.
    test::Matrix padded{pool.num_rows + 2, pool.dimension,
                        std::vector<float>(2 * pool.dimension, 7)};
    padded.values.insert(padded.values.end(), pool.values.begin(), pool.values.end());
    arrow::StringDictionaryBuilder dictionary;
    for (std::size_t i = 0; i < pool.num_rows; ++i) {
      test::Require(dictionary.Append(i % 3 == 0 ? "a" : "b"));
    }
    const auto words = test::Get(dictionary.Finish());
    const auto embeddings = test::EmbeddingArray(padded, type)->Slice(2);
    // An extension type beside it, as good as any.
    const auto tensors = arrow::ExtensionType::WrapArray(
        arrow::extension::fixed_shape_tensor(arrow::float32(), {dimension}),
        test::EmbeddingArray(pool, test::FixedSizeFloats(test::kDimension)));
    const auto schema = arrow::schema(
        {arrow::field("word", words->type()),
         arrow::field("embedding", type, true, arrow::key_value_metadata({"key"}, {"value"}))});
    pool_table = arrow::Table::Make(schema, {words, embeddings});
    pool_table = test::Get(pool_table->AddColumn(2, arrow::field("tensor", tensors->type()),
                                                 std::make_shared<arrow::ChunkedArray>(tensors)));
    const auto cleaned = RunPlan(Clean());
    BOOST_TEST(cleaned->GetColumnByName("tensor")->chunk(0)->Equals(tensors));
    BOOST_TEST(cleaned->schema()->field(1)->Equals(*schema->field(1), /*check_metadata=*/true));
    BOOST_TEST(cleaned->GetColumnByName("embedding")->chunk(0)->Equals(embeddings));
    BOOST_TEST(cleaned->GetColumnByName("word")->chunk(0)->Equals(words));
    // Half floats are other numbers.
    if (type->field(0)->type()->id() == arrow::Type::HALF_FLOAT) continue;
    BOOST_TEST(
        cleaned->GetColumnByName("spuna_score")->Equals(plain->GetColumnByName("spuna_score")));
    BOOST_TEST(
        cleaned->GetColumnByName("spuna_label")->Equals(plain->GetColumnByName("spuna_label")));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::acero
