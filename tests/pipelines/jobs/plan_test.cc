#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "pipelines/jobs/jobs.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"

namespace spuna {
namespace {

using test::Threads;

// What a plan and a run say against the same job.
template <typename Job>
std::string RefusedByBoth(const Job& job) {
  const std::string planned = Plan(job, Threads(1)).status().message();
  const std::string ran = Run(job, Threads(1)).status().message();
  BOOST_TEST(planned == ran);
  return planned;
}

BOOST_FIXTURE_TEST_SUITE(plan, test::FilesExample)

BOOST_AUTO_TEST_CASE(what_the_run_refuses_is_refused) {
  const std::string pool_file = directory / "pool.parquet";
  CleanJob job = Clean("out.parquet");
  job.group_by = {"nosuch"};
  BOOST_TEST(RefusedByBoth(job) == pool_file +
                                       ": there is no column 'nosuch' as `group-by` says; its "
                                       "columns are 'id', 'embedding', 'shifted'");
  job = Clean("out.parquet");
  job.image = "nix";
  BOOST_TEST(RefusedByBoth(job) == pool_file +
                                       ": there is no column 'nix' as `report-image` says; its "
                                       "columns are 'id', 'embedding', 'shifted'");
  job.image = "shifted";
  BOOST_TEST(RefusedByBoth(job) ==
             "column 'shifted' of " + pool_file +
                 ": expected pictures as `report-image` says, bytes, paths or a struct with "
                 "`bytes` or `path`, but found bool");
  job = Clean("out.parquet");
  job.fit.options.stratify = "nosuch";
  BOOST_TEST(RefusedByBoth(job).find("there is no column 'nosuch' as `stratify` says") !=
             std::string::npos);
  job = Clean("out.parquet");
  job.fit.keep_banks = true;
  BOOST_TEST(RefusedByBoth(job) == "`keep-banks` needs a `model` to keep them in");
  job = Clean("out.parquet");
  job.dropped = directory / "dropped.parquet";
  BOOST_TEST(RefusedByBoth(job) == "`dropped` needs `drop`: without it no row is left out");
}

BOOST_AUTO_TEST_CASE(outputs_that_exist_are_refused) {
  test::WriteParquet(directory / "taken", *test::EmbeddingTable(pool));
  for (const char* option : {"reasons", "report", "labels", "model"}) {
    CleanJob job = Clean("out.parquet");
    const std::string name = option;
    (name == "reasons"  ? job.reasons
     : name == "report" ? job.report
     : name == "labels" ? job.fit.labels
                        : job.fit.model) = directory / "taken";
    BOOST_TEST(RefusedByBoth(job).starts_with("`" + name + "`: "));
  }
}

BOOST_AUTO_TEST_CASE(classes_are_no_obstacle) {
  CleanJob job = Clean("out.parquet");
  job.fit.options.recipe = Recipe::kRobust;
  job.fit.options.stratify = "shifted";
  job.reasons = directory / "reasons.parquet";
  const auto plan = Plan(job, Threads(1));
  BOOST_TEST_REQUIRE(plan.ok(), plan.status().message());
  BOOST_TEST(plan->outputs.size() == 2U);
  BOOST_TEST(!std::filesystem::exists(directory / "reasons.parquet"));
}

BOOST_AUTO_TEST_CASE(the_dimension_of_lists_is_known) {
  const auto type = arrow::list(arrow::float64());
  for (const std::vector<std::size_t>& nulls : {std::vector<std::size_t>{}, {0, 1, 2}}) {
    const auto array = test::EmbeddingArray(pool, type, {nulls.begin(), nulls.end()});
    const auto table =
        arrow::Table::Make(arrow::schema({arrow::field("embedding", type)}), {array});
    test::WriteParquet(directory / "lists.parquet", *table, 90);
    const auto plan = Plan(Clean("out.parquet", {directory / "lists.parquet"}), Threads(1));
    BOOST_TEST_REQUIRE(plan.ok(), plan.status().message());
    BOOST_TEST(plan->dimension == 6);
  }
}

BOOST_AUTO_TEST_CASE(a_file_without_rows_hides_no_dimension) {
  const auto type = arrow::list(arrow::float32());
  const auto array = test::EmbeddingArray(pool, type, {});
  const auto table = arrow::Table::Make(arrow::schema({arrow::field("embedding", type)}), {array});
  test::WriteParquet(directory / "lake/a.parquet", *table->Slice(0, 0));
  test::WriteParquet(directory / "lake/b.parquet", *table, 90);
  const auto plan = Plan(Clean("out", {directory / "lake"}), Threads(1));
  BOOST_TEST_REQUIRE(plan.ok(), plan.status().message());
  BOOST_TEST(plan->dimension == 6);
}

BOOST_AUTO_TEST_CASE(a_run_of_another_configuration_that_was_stopped_is_named) {
  FitJob job = Fit("model");
  // As a run leaves it that was killed.
  const std::string state = directory / ".model.spuna";
  std::filesystem::create_directory(state);
  test::WriteFile(state + "/configuration.json", R"({"command": "fit", "k": 1})");
  test::WriteFile(state + "/journal.jsonl", "{\"key\": \"x\", \"value\": true}\n");
  BOOST_TEST(RefusedByBoth(job).find("a run of another configuration was stopped here: ") !=
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
