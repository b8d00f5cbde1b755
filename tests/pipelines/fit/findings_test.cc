#include "pipelines/fit/findings.h"

#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "pipelines/jobs/jobs.h"
#include "pipelines/report/group_counts.h"
#include "pipelines/report/pictures.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using test::Threads;

// The example by our own recipe, with a column of two sources and one of classes.
struct Example {
  test::FilesExample files;

  Example() {
    const auto table = test::EmbeddingTable(files.pool);
    arrow::StringBuilder sources;
    for (std::int64_t i = 0; i < table->num_rows(); ++i) {
      test::Require(sources.Append(i % 2 == 0 ? "camera <b>1</b>" : "camera 2"));
    }
    const auto column = std::make_shared<arrow::ChunkedArray>(sources.Finish().ValueOrDie());
    const auto with_source = table->AddColumn(3, arrow::field("source", arrow::utf8()), column);
    test::WriteParquet(files.directory / "pool.parquet", **with_source, 90);
  }

  CleanJob Clean(const std::string& output) const {
    CleanJob job = files.Clean(output);
    job.fit.options.recipe = Recipe::kRobust;
    return job;
  }
};

std::shared_ptr<arrow::Scalar> At(const arrow::Table& table, const std::string& column,
                                  std::int64_t row) {
  return table.GetColumnByName(column)->GetScalar(row).ValueOrDie();
}

BOOST_AUTO_TEST_SUITE(findings)

BOOST_AUTO_TEST_CASE(every_dropped_row_has_its_reasons) {
  const Example example;
  CleanJob job = example.Clean("out.parquet");
  job.reasons = example.files.directory / "reasons.parquet";
  job.p_values = true;
  const auto report = Run(job, Threads(2));
  BOOST_TEST_REQUIRE(report.ok());
  const auto cleaned = test::ReadParquet(example.files.directory / "out.parquet");
  const auto reasons = test::ReadParquet(*job.reasons);
  BOOST_TEST(reasons->num_rows() == report->score->counts.dropped);
  BOOST_TEST_REQUIRE(reasons->num_rows() > 0);

  std::map<std::string, std::int64_t> rows;
  for (std::int64_t i = 0; i < cleaned->num_rows(); ++i)
    rows[At(*cleaned, "id", i)->ToString()] = i;
  std::set<std::string> kinds;
  for (std::int64_t i = 0; i < reasons->num_rows(); ++i) {
    const std::int64_t row = rows.at(At(*reasons, "id", i)->ToString());
    BOOST_TEST(At(*reasons, "row", i)->ToString() == std::to_string(row));
    BOOST_TEST(At(*reasons, "file", i)->ToString() == "pool.parquet");
    BOOST_TEST(At(*cleaned, "spuna_keep", row)->ToString() == "false");
    BOOST_TEST(At(*reasons, "score", i)->Equals(*At(*cleaned, "spuna_score", row)));
    BOOST_TEST(At(*reasons, "p_value", i)->Equals(*At(*cleaned, "spuna_p_value", row)));
    BOOST_TEST(At(*reasons, "nearest_trusted", i)->is_valid);
    BOOST_TEST(At(*reasons, "nearest_shifted", i)->is_valid);
    kinds.insert(At(*reasons, "kind", i)->ToString());
  }
  BOOST_TEST(kinds.size() == report->kinds.size());
  BOOST_TEST(kinds.contains("1"));
  BOOST_TEST_REQUIRE(report->distance.has_value());
  BOOST_TEST(report->distance->in_spreads > 0);
}

BOOST_AUTO_TEST_CASE(a_seed_is_its_own_nearest_shifted_row) {
  const Example example;
  CleanJob job = example.Clean("out.parquet");
  job.reasons = example.files.directory / "reasons.parquet";
  BOOST_TEST_REQUIRE(Run(job, Threads(1)).ok());
  const auto reasons = test::ReadParquet(*job.reasons);
  int seeds = 0;
  for (std::int64_t i = 0; i < reasons->num_rows(); ++i) {
    if (At(*reasons, "round", i)->ToString() != "0") continue;
    ++seeds;
    BOOST_TEST(At(*reasons, "nearest_shifted", i)->ToString() == At(*reasons, "id", i)->ToString());
    BOOST_TEST(At(*reasons, "nearest_shifted_distance", i)->ToString() == "0");
    BOOST_TEST(!At(*reasons, "p_value", i)->is_valid);
  }
  BOOST_TEST(seeds > 0);
}

BOOST_AUTO_TEST_CASE(groups_add_up_and_the_most_affected_comes_first) {
  const Example example;
  CleanJob job = example.Clean("out.parquet");
  job.group_by = {"source", "shifted"};
  const auto report = Run(job, Threads(2));
  BOOST_TEST_REQUIRE(report.ok());
  BOOST_TEST_REQUIRE(report->groups.size() == 2U);
  for (const JobReport::Groups& by : report->groups) {
    std::int64_t rows = 0;
    std::int64_t dropped = 0;
    for (const GroupCount& group : by.groups) {
      rows += group.rows;
      dropped += group.dropped;
      BOOST_TEST((group.low <= group.share && group.share <= group.high));
    }
    BOOST_TEST(rows == 300);
    BOOST_TEST(dropped == report->score->counts.dropped);
    BOOST_TEST((by.groups.front().low >= by.groups.back().low));
  }
}

BOOST_AUTO_TEST_CASE(the_report_is_a_page_that_escapes_what_is_in_the_data) {
  const Example example;
  CleanJob job = example.Clean("out.parquet");
  job.report = example.files.directory / "report.html";
  job.group_by = {"source"};
  job.truth = "shifted";
  BOOST_TEST_REQUIRE(Run(job, Threads(2)).ok());
  const std::string page = test::ReadFile(*job.report);
  BOOST_TEST(page.starts_with("<!DOCTYPE html>"));
  BOOST_TEST(page.find("camera \\u003cb\\u003e1\\u003c/b\\u003e") != std::string::npos);
  BOOST_TEST(page.find("camera <b>") == std::string::npos);
  BOOST_TEST(page.find("\"reliability\":{") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(reasons_and_report_change_nothing_else) {
  const Example example;
  BOOST_TEST_REQUIRE(Run(example.Clean("plain.parquet"), Threads(2)).ok());
  CleanJob job = example.Clean("more.parquet");
  job.reasons = example.files.directory / "reasons.parquet";
  job.report = example.files.directory / "report.html";
  BOOST_TEST_REQUIRE(Run(job, Threads(1)).ok());
  BOOST_TEST(test::ReadFile(example.files.directory / "plain.parquet") ==
             test::ReadFile(example.files.directory / "more.parquet"));
}

BOOST_AUTO_TEST_CASE(a_column_that_is_not_there_is_told_before_the_work) {
  const Example example;
  CleanJob job = example.Clean("out.parquet");
  job.group_by = {"camera"};
  const auto report = Run(job, Threads(1));
  BOOST_TEST(report.status().message() ==
             (example.files.directory / "pool.parquet") +
                 ": there is no column 'camera' as `group-by` says; its columns are 'id', "
                 "'embedding', 'shifted', 'source'");
  BOOST_TEST(!fs::exists(example.files.directory / "out.parquet"));
}

// Rows of two classes that lie apart, of which so many in a hundred are of the second.
std::shared_ptr<arrow::Table> TwoClasses(std::size_t num_rows, std::size_t of_second,
                                         std::uint64_t seed) {
  test::Matrix rows = test::RandomRows(num_rows, 6, seed);
  arrow::StringBuilder classes;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const bool is_second = i % 100 < of_second;
    if (is_second) rows.values[i * 6] += 4;
    test::Require(classes.Append(is_second ? "second" : "first"));
  }
  const auto column = std::make_shared<arrow::ChunkedArray>(classes.Finish().ValueOrDie());
  return test::Get(
      test::EmbeddingTable(rows)->AddColumn(3, arrow::field("class", arrow::utf8()), column));
}

BOOST_AUTO_TEST_CASE(another_mix_of_classes_is_no_shift_within_them) {
  const Example example;
  const std::string trusted = example.files.directory / "classes.parquet";
  const std::string pool = example.files.directory / "mix.parquet";
  test::WriteParquet(trusted, *TwoClasses(400, 50, 5));
  test::WriteParquet(pool, *TwoClasses(600, 90, 6));
  CleanJob job = example.Clean("plain.parquet");
  job.fit.trusted = {trusted};
  job.fit.pool = {pool};
  const auto plain = test::Get(Run(job, Threads(2)));
  BOOST_TEST(plain.fit->summary.found);
  job.output = example.files.directory / "stratified.parquet";
  job.fit.options.stratify = "class";
  const auto stratified = test::Get(Run(job, Threads(2)));
  BOOST_TEST(!stratified.fit->summary.found);
  BOOST_TEST(stratified.fit->summary.separation->p_value > plain.fit->summary.separation->p_value);
}

BOOST_AUTO_TEST_CASE(a_file_without_the_usual_ids_has_places) {
  const Example example;
  const auto table = test::EmbeddingTable(example.files.pool);
  const auto lake = example.files.directory.path() / "lake";
  test::WriteParquet(lake / "a.parquet", *table, 90);
  test::WriteParquet(lake / "b.parquet", *test::Get(table->RemoveColumn(0)), 90);
  CleanJob job = example.Clean("out");
  job.fit.pool = {lake.string()};
  job.reasons = example.files.directory / "reasons.parquet";
  job.fit.on_bad_file = OnBadFile::kSkip;
  const auto report = test::Get(Run(job, Threads(2)));
  BOOST_TEST(report.skipped.empty());
  BOOST_TEST(report.score->counts.in == 600);
  std::set<bool> are_places;
  const auto reasons = test::ReadParquet(*job.reasons);
  for (std::int64_t i = 0; i < reasons->num_rows(); ++i) {
    are_places.insert(At(*reasons, "id", i)->ToString().starts_with("b.parquet:"));
  }
  BOOST_TEST(are_places.size() == 2U);
}

BOOST_AUTO_TEST_CASE(classes_that_are_not_there_are_named) {
  const Example example;
  CleanJob job = example.Clean("other.parquet");
  job.fit.options.stratify = "source";
  // The trusted rows have no such column.
  BOOST_TEST(Run(job, Threads(2)).status().message().find("there is no column 'source'") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(rows_are_picked_where_they_are) {
  RowSample all;
  all.rows = {{0, 2, 5}, {}, {1, 3}};
  const RowSample picked = PickRows(all, {0, 2, 4});
  BOOST_TEST((picked.rows == std::vector<std::vector<std::int64_t>>{{0, 5}, {}, {3}}));
  BOOST_TEST(PickRows(all, {}).num_rows == 0);
}

BOOST_AUTO_TEST_CASE(groups_of_no_rows_or_many_values) {
  BOOST_TEST(GroupCounts().Sorted().empty());
  GroupCounts counts;
  for (int i = 0; i < 10'050; ++i) counts.Add(std::to_string(i), i % 2 == 0);
  const std::vector<GroupCount> sorted = counts.Sorted();
  BOOST_TEST(sorted.size() == 10'001U);
  std::int64_t rows = 0;
  for (const GroupCount& group : sorted) rows += group.rows;
  BOOST_TEST(rows == 10'050);
}

BOOST_AUTO_TEST_CASE(only_pictures_become_pictures) {
  BOOST_TEST(ToDataUri("\x89PNG\r\n\x1a\nrest").starts_with("data:image/png;base64,iVBORw0K"));
  BOOST_TEST(ToDataUri("\xff\xd8\xff\xe0").starts_with("data:image/jpeg;base64,"));
  BOOST_TEST(ToDataUri("<svg onload=alert(1)>") == "");
  BOOST_TEST(ToDataUri("RIFF") == "");
  BOOST_TEST(ToDataUri("") == "");
  BOOST_TEST(ToDataUri("\xff\xd8\xff" + std::string(400'000, 'x')) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
