// Runs examples/acero and compares what it writes with what the command keeps.
#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <string>

#include "pipelines/jobs/jobs.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/program.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(acero_example)

BOOST_AUTO_TEST_CASE(it_counts_the_rows_that_the_command_keeps) {
  const test::TempDirectory directory;
  const fs::path sample = fs::path(SPUNA_SOURCE_DIR) / "examples/quickstart";
  for (const char* name : {"trusted", "pool"}) {
    fs::create_directories(directory / name);
    fs::copy_file(sample / (std::string(name) + ".parquet"),
                  fs::path(directory / name) / "part-0.parquet");
  }
  const auto example = test::RunProgram(
      SPUNA_ACERO_EXAMPLE, {directory / "trusted", directory / "pool", directory / "out"});
  BOOST_REQUIRE_MESSAGE(example.exit_code == 0, example.err);

  CleanJob job;
  job.fit.trusted = {directory / "trusted"};
  job.fit.pool = {directory / "pool"};
  job.output = directory / "cleaned";
  test::Require(Run(job, test::Threads(2)).status());
  const auto cleaned =
      test::Get(test::ReadParquet(directory / "cleaned/part-0.parquet")->CombineChunks());
  const auto& sources =
      static_cast<const arrow::StringArray&>(*cleaned->GetColumnByName("source")->chunk(0));
  const auto& keep =
      static_cast<const arrow::BooleanArray&>(*cleaned->GetColumnByName("spuna_keep")->chunk(0));
  std::map<std::string, std::int64_t> expected;
  for (std::int64_t i = 0; i < keep.length(); ++i) {
    if (keep.Value(i)) ++expected[sources.GetString(i)];
  }

  const auto counted =
      test::Get(test::ReadParquet(directory / "out/kept-0.parquet")->CombineChunks());
  const auto& names =
      static_cast<const arrow::StringArray&>(*counted->GetColumnByName("source")->chunk(0));
  const auto& counts =
      static_cast<const arrow::Int64Array&>(*counted->GetColumnByName("kept")->chunk(0));
  std::map<std::string, std::int64_t> found;
  for (std::int64_t i = 0; i < counts.length(); ++i) found[names.GetString(i)] = counts.Value(i);
  BOOST_TEST((found == expected));
  BOOST_TEST(found.size() > 10);
}

BOOST_AUTO_TEST_CASE(it_says_what_is_wrong) {
  const auto missing = test::RunProgram(SPUNA_ACERO_EXAMPLE, {"/nowhere", "/nowhere", "/nowhere"});
  BOOST_TEST(missing.exit_code == 1);
  BOOST_TEST(missing.err.starts_with("clean_in_acero: "));
  BOOST_TEST(test::RunProgram(SPUNA_ACERO_EXAMPLE, {}).exit_code == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
