// Opens of a file are requests on a store: how many there are is part of what a run promises.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "arrow_io/open_counter.h"
#include "pipelines/jobs/jobs.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"

namespace spuna {
namespace {

using test::Threads;

// Two trusted files and three of a pool, with hive keys.
struct Lake {
  test::TempDirectory directory;

  Lake() {
    for (int i = 0; i < 2; ++i) {
      test::WriteParquet(directory.path() / "trusted" / (std::to_string(i) + ".parquet"),
                         *test::EmbeddingTable(test::RandomRows(60, 6, 10 + i)), 25);
    }
    for (int i = 0; i < 3; ++i) {
      test::WriteParquet(directory.path() / "pool" / ("day=" + std::to_string(i)) / "part.parquet",
                         *test::EmbeddingTable(test::ShiftedPool(150, 6, 20 + i, 1.5)), 40);
    }
  }

  CleanJob Clean(Recipe recipe) const {
    CleanJob job;
    job.fit.trusted = {(directory.path() / "trusted").string()};
    job.fit.pool = {(directory.path() / "pool").string()};
    job.fit.options.recipe = recipe;
    job.fit.options.epochs = 1;
    job.output = directory / "out";
    return job;
  }

  // The most that a file below a folder was opened.
  int Most(const arrow_io::OpenCounter& counter, const std::string& folder) const {
    int most = 0;
    for (const auto& [name, count] : counter.counts()) {
      if (name.starts_with((directory.path() / folder).string())) most = std::max(most, count);
    }
    return most;
  }
};

BOOST_AUTO_TEST_SUITE(open_count)

BOOST_AUTO_TEST_CASE(a_clean_opens_a_trusted_file_twice_and_a_pool_file_three_times) {
  for (const Recipe recipe : {Recipe::kRobust, Recipe::kPaper}) {
    const Lake lake;
    const arrow_io::OpenCounter counter;
    const auto report = Run(lake.Clean(recipe), Threads(2));
    BOOST_TEST_REQUIRE(report.ok(), report.status().message());
    BOOST_TEST(lake.Most(counter, "trusted") == 2);
    BOOST_TEST(lake.Most(counter, "pool") == 3);
  }
}

BOOST_AUTO_TEST_CASE(with_all_that_can_be_asked_for_two_and_five_times) {
  for (const std::int64_t fit_rows : {0, 200}) {
    const Lake lake;
    CleanJob job = lake.Clean(Recipe::kRobust);
    job.fit.options.fit_rows = fit_rows;
    job.fit.options.stratify = "shifted";
    job.fit.labels = lake.directory / "labels.parquet";
    job.fit.model = lake.directory / "model";
    job.reasons = lake.directory / "reasons.parquet";
    job.report = lake.directory / "report.html";
    job.group_by = {"day", "shifted"};
    job.truth = "shifted";
    job.image = "day";
    const arrow_io::OpenCounter counter;
    const auto report = Run(job, Threads(2));
    BOOST_TEST_REQUIRE(report.ok(), report.status().message());
    BOOST_TEST(lake.Most(counter, "trusted") == 2);
    BOOST_TEST(lake.Most(counter, "pool") == 5);
    BOOST_TEST(report->groups.size() == 2U);
  }
}

BOOST_AUTO_TEST_CASE(scoring_opens_a_file_twice) {
  const Lake lake;
  CleanJob clean = lake.Clean(Recipe::kPaper);
  clean.fit.model = lake.directory / "model";
  BOOST_TEST_REQUIRE(Run(clean, Threads(2)).ok());
  ScoreJob job;
  job.model = *clean.fit.model;
  job.input = clean.fit.pool;
  job.output = lake.directory / "scored";
  const arrow_io::OpenCounter counter;
  BOOST_TEST_REQUIRE(Run(job, Threads(2)).ok());
  BOOST_TEST(lake.Most(counter, "pool") == 2);
}

BOOST_AUTO_TEST_CASE(scoring_with_all_that_can_be_asked_for_opens_a_file_three_times) {
  const Lake lake;
  CleanJob clean = lake.Clean(Recipe::kPaper);
  clean.fit.model = lake.directory / "model";
  BOOST_TEST_REQUIRE(Run(clean, Threads(2)).ok());
  ScoreJob job;
  job.model = *clean.fit.model;
  job.input = clean.fit.pool;
  job.output = lake.directory / "scored";
  job.reasons = lake.directory / "reasons.parquet";
  job.report = lake.directory / "report.html";
  job.group_by = {"day", "shifted"};
  job.truth = "shifted";
  const arrow_io::OpenCounter counter;
  const auto report = Run(job, Threads(2));
  BOOST_TEST_REQUIRE(report.ok(), report.status().message());
  BOOST_TEST(lake.Most(counter, "pool") == 3);
}

BOOST_AUTO_TEST_CASE(nobody_counts_after_the_counter_is_gone) {
  {
    const arrow_io::OpenCounter counter;
  }
  arrow_io::OpenCounter::Note("file");
  const arrow_io::OpenCounter counter;
  BOOST_TEST(counter.counts().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
