// How the nodes behave in a plan: errors, cancellation, limits, several plans at once.
#include <arrow/acero/options.h>
#include <arrow/acero/query_context.h>
#include <arrow/api.h>
#include <arrow/compute/expression.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "plugin/acero/node_options.h"
#include "plugin/acero/register.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/plans.h"

namespace spuna::acero {
namespace {

using arrow::acero::Declaration;
using test::RunPlan;
using test::Source;

const std::vector<std::string> kNodes = {"spuna_expand", "spuna_distill", "spuna_clean",
                                         "spuna_score"};

struct Example : test::FilesExample {
  std::shared_ptr<arrow::Table> trusted_table = test::EmbeddingTable(trusted);
  std::shared_ptr<arrow::Table> pool_table = test::EmbeddingTable(pool);
  FitOptions options = Fit("model").options;
  std::shared_ptr<const Model> model;
  // The pool with labels, under a prefix of its own so that every node takes it.
  std::shared_ptr<arrow::Table> labeled_table;

  Example() {
    test::Require(Register());
    test::Require(Run(Fit("model"), test::Threads(1)).status());
    model = test::Get(LoadModel(directory / "model"));
    labeled_table = RunPlan({"spuna_expand",
                             {Source(*trusted_table), Source(*pool_table)},
                             ExpandNodeOptions(options, "given_")});
  }

  // Any of the nodes over these inputs; "spuna_score" has the second alone.
  Declaration Node(const std::string& name, Declaration trusted_source,
                   Declaration pool_source) const {
    if (name == "spuna_score") return {name, {std::move(pool_source)}, ScoreNodeOptions(model)};
    std::shared_ptr<arrow::acero::ExecNodeOptions> node_options;
    if (name == "spuna_expand") node_options = std::make_shared<ExpandNodeOptions>(options);
    if (name == "spuna_distill") {
      node_options = std::make_shared<DistillNodeOptions>(options, "given_");
    }
    if (name == "spuna_clean") node_options = std::make_shared<CleanNodeOptions>(options);
    return {name, {std::move(trusted_source), std::move(pool_source)}, node_options, ""};
  }

  Declaration Clean(Declaration trusted_source, Declaration pool_source) const {
    return {"spuna_clean",
            {std::move(trusted_source), std::move(pool_source)},
            CleanNodeOptions(options)};
  }
  Declaration Clean() const { return Clean(Source(*trusted_table), Source(*pool_table)); }
};

std::string Message(const Declaration& plan, bool use_threads = true) {
  return arrow::acero::DeclarationToTable(plan, use_threads).status().message();
}

BOOST_FIXTURE_TEST_SUITE(acero_plans, Example)

BOOST_AUTO_TEST_CASE(registering_again_changes_nothing) {
  test::Require(Register());
  std::vector<std::jthread> threads;
  std::atomic<int> failures{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { failures += Register().ok() ? 0 : 1; });
  }
  threads.clear();
  BOOST_TEST(failures == 0);
}

BOOST_AUTO_TEST_CASE(wrong_options_are_refused_before_the_plan_runs) {
  BOOST_TEST(Message({"spuna_clean",
                      {Source(*trusted_table), Source(*pool_table)},
                      ExpandNodeOptions(options)}) ==
             "spuna_clean: expected its own options but found others");
  options.k = 0;
  BOOST_TEST(Message(Clean()) == "`k` must be between 1 and 1000000000, but is 0");
  BOOST_TEST(ExpandNodeOptions(options).Validate().message() ==
             "`k` must be between 1 and 1000000000, but is 0");
  BOOST_TEST(DistillNodeOptions(options).Validate().message() ==
             "`k` must be between 1 and 1000000000, but is 0");
  BOOST_TEST(ScoreNodeOptions(nullptr).Validate().message() == "spuna_score: `model` is missing");
  options.k = 20;
  options.embedding = "vector";
  BOOST_TEST(Message(Clean()) ==
             "spuna_clean, input `trusted`: there is no column 'vector'; expected a list of "
             "float16, float32 or float64; columns of this kind: 'embedding'");
}

BOOST_AUTO_TEST_CASE(a_name_that_is_taken_is_refused) {
  const Declaration twice{"spuna_score", {Clean()}, ScoreNodeOptions(model)};
  BOOST_TEST(Message(twice) ==
             "spuna_score: there is a column 'spuna_score' already; choose other names with "
             "`prefix`, or replace it with `--replace`");
}

BOOST_AUTO_TEST_CASE(the_score_node_writes_the_columns_that_are_asked_for) {
  ScoreOptions score;
  score.replace = true;
  score.columns = {"spuna_keep", "id", "spuna_score"};
  const auto narrow = RunPlan({"spuna_score", {Clean()}, ScoreNodeOptions(model, score)});
  const auto whole = RunPlan({"spuna_score", {Source(*pool_table)}, ScoreNodeOptions(model)});
  BOOST_TEST(narrow->ColumnNames() == *score.columns, boost::test_tools::per_element());
  for (const std::string& name : *score.columns) {
    BOOST_TEST(narrow->GetColumnByName(name)->Equals(*whole->GetColumnByName(name)));
  }
}

BOOST_AUTO_TEST_CASE(distilling_needs_labels) {
  BOOST_TEST(Message({"spuna_distill",
                      {Source(*trusted_table), Source(*pool_table)},
                      DistillNodeOptions(options)}) ==
             "spuna_distill, input `pool`: expected one column 'spuna_label' of strings, as "
             "spuna_expand writes it, but found none");
  arrow::StringBuilder builder;
  for (std::int64_t i = 0; i < pool_table->num_rows(); ++i) {
    test::Require(builder.Append(i == 4 ? "green" : "clean"));
  }
  const auto labels = std::make_shared<arrow::ChunkedArray>(test::Get(builder.Finish()));
  pool_table =
      test::Get(pool_table->AddColumn(0, arrow::field("spuna_label", arrow::utf8()), labels));
  BOOST_TEST(Message({"spuna_distill",
                      {Source(*trusted_table), Source(*pool_table)},
                      DistillNodeOptions(options)}) ==
             "column 'spuna_label' of spuna_distill: expected 'clean', 'shifted' or null but found "
             "'green' at row 4");
}

BOOST_AUTO_TEST_CASE(empty_inputs_are_errors_that_name_the_input) {
  const auto no_pool = pool_table->Slice(0, 0);
  for (const bool use_threads : {false, true}) {
    BOOST_TEST(Message(Clean(Source(*trusted_table), Source(*no_pool)), use_threads) ==
               "`pool`: expected rows with embeddings in spuna_clean, input `pool` but there are "
               "no rows");
  }
}

BOOST_AUTO_TEST_CASE(an_error_in_the_middle_is_the_one_reported) {
  for (const std::string& node : kNodes) {
    for (const bool use_threads : {false, true}) {
      for (const int good_batches : {0, 1, 5}) {
        BOOST_TEST_CONTEXT(node << ", threads " << use_threads << ", after " << good_batches) {
          BOOST_TEST(Message(Node(node, Source(*trusted_table),
                                  test::BrokenSource(*labeled_table, 20, good_batches)),
                             use_threads) == "the source is broken");
          if (node == "spuna_score") continue;
          BOOST_TEST(Message(Node(node, test::BrokenSource(*trusted_table, 10, good_batches),
                                  Source(*labeled_table, {.rows_per_batch = 3})),
                             use_threads) == "the source is broken");
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(rows_of_another_dimension_stop_the_plan) {
  const auto other = test::EmbeddingTable(test::RandomRows(50, 4, 1));
  for (const bool use_threads : {false, true}) {
    BOOST_TEST(Message(Clean(Source(*trusted_table), Source(*other)), use_threads) ==
               "`pool`: column 'embedding' of spuna_clean, input `pool`: expected dimension 6, "
               "that of column 'embedding' of the trusted rows in spuna_clean, input `trusted`, "
               "but found 4");
    BOOST_TEST(
        Message({"spuna_score", {Source(*other, {.rows_per_batch = 5})}, ScoreNodeOptions(model)},
                use_threads) ==
        "column 'embedding' of a batch of spuna_score: expected dimension 6 but found 4 at "
        "row 0");
  }
}

BOOST_AUTO_TEST_CASE(a_limit_takes_its_rows_and_ends_the_plan) {
  for (const bool use_threads : {false, true}) {
    const Declaration limited{"fetch", {Clean()}, arrow::acero::FetchNodeOptions(0, 5)};
    BOOST_TEST(RunPlan(limited, use_threads)->num_rows() == 5);
  }
  const Declaration scored{
      "fetch",
      {Declaration{"spuna_score",
                   {Source(*pool_table, {.rows_per_batch = 3, .shuffle_seed = 1})},
                   ScoreNodeOptions(model)}},
      arrow::acero::FetchNodeOptions(10, 20)};
  BOOST_TEST(RunPlan(scored)->GetColumnByName("id")->chunk(0)->Equals(
      RunPlan(Source(*pool_table->Slice(10, 20)))->GetColumnByName("id")->chunk(0)));
}

BOOST_AUTO_TEST_CASE(a_cancelled_plan_ends_soon) {
  // Enough epochs that distilling would take hours.
  options.epochs = 1'000'000;
  for (const std::string& node : kNodes) {
    for (const int milliseconds : {0, 1, 50, 300}) {
      auto plan = test::Get(arrow::acero::ExecPlan::Make());
      const Declaration consuming{
          "consuming_sink",
          {Node(node, Source(*trusted_table, {.rows_per_batch = 9}),
                Source(*labeled_table, {.rows_per_batch = 1}))},
          arrow::acero::ConsumingSinkNodeOptions(arrow::acero::NullSinkNodeConsumer::Make())};
      test::Require(consuming.AddToPlan(plan.get()).status());
      test::Require(plan->Validate());
      plan->StartProducing();
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      plan->StopProducing();
      const arrow::Status status = plan->finished().status();
      // What takes no time may be done before.
      const bool is_quick = node == "spuna_expand" || node == "spuna_score";
      BOOST_TEST((status.IsCancelled() || (is_quick && status.ok())), status.ToString());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_reader_that_is_closed_early_ends_the_plan) {
  for (const bool use_threads : {false, true}) {
    const Declaration scored{
        "spuna_score", {Source(*pool_table, {.rows_per_batch = 1})}, ScoreNodeOptions(model)};
    auto reader = test::Get(arrow::acero::DeclarationToReader(scored, use_threads));
    std::shared_ptr<arrow::RecordBatch> batch;
    test::Require(reader->ReadNext(&batch));
    BOOST_TEST(batch->num_rows() == 1);
    // Arrow reports a plan that was ended early as cancelled, or as done.
    const arrow::Status closed = reader->Close();
    BOOST_TEST((closed.ok() || closed.IsCancelled()));
  }
}

BOOST_AUTO_TEST_CASE(several_plans_run_at_once) {
  auto run = [&](const std::string& node, bool use_threads) {
    return RunPlan(Node(node, Source(*trusted_table, {.rows_per_batch = 13}),
                        Source(*labeled_table, {.rows_per_batch = 50, .shuffle_seed = 1})),
                   use_threads);
  };
  for (const std::string& node : kNodes) {
    const auto expected = run(node, false);
    std::vector<std::future<std::shared_ptr<arrow::Table>>> runs;
    for (int i = 0; i < 6; ++i) {
      runs.push_back(std::async(std::launch::async, [&, i] { return run(node, i % 2 == 0); }));
    }
    for (auto& result : runs) BOOST_TEST(result.get()->Equals(*expected), node);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::acero
