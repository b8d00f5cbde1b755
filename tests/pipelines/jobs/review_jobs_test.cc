// Reviews and their verdicts through whole jobs.
#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "pipelines/jobs/jobs.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

using test::Get;
using test::Threads;

// The keep column of a file, by row: 1, 0, or -1 for null.
std::vector<int> Keeps(const std::string& path) {
  const auto table = test::ReadParquet(path);
  const auto column = Get(arrow::Concatenate(table->GetColumnByName("spuna_keep")->chunks()));
  std::vector<int> keeps;
  for (std::int64_t i = 0; i < column->length(); ++i) {
    const auto& values = static_cast<const arrow::BooleanArray&>(*column);
    keeps.push_back(values.IsNull(i) ? -1 : values.Value(i) ? 1 : 0);
  }
  return keeps;
}

struct Reviewed : test::FilesExample {
  Reviewed() {
    const auto table = test::EmbeddingTable(pool);
    test::WriteParquet(directory / "lake/a.parquet", *table->Slice(0, 200));
    test::WriteParquet(directory / "lake/b.parquet", *table->Slice(200));
  }

  CleanJob Robust(const std::string& output, const std::vector<std::string>& paths = {}) const {
    CleanJob job = Clean(output, paths);
    job.fit.options.alpha.reset();
    job.fit.options.k.reset();
    job.fit.options.recipe = Recipe::kRobust;
    job.fit.options.targets.reset();
    return job;
  }

  std::string Write(const std::string& name, const std::string& text) const {
    test::WriteFile(directory / name, text);
    return directory / name;
  }
};

BOOST_AUTO_TEST_SUITE(review_jobs)

BOOST_AUTO_TEST_CASE(a_verdict_decides_its_own_row) {
  const Reviewed example;
  CleanJob job = example.Robust("plain.parquet");
  Get(Run(job, Threads(1)));
  const std::vector<int> before = Keeps(example.directory / "plain.parquet");
  // The opposite of what the model says, of one row each, drawn at random so that nothing is
  // learned.
  const auto kept = std::ranges::find(before, 1) - before.begin();
  const auto dropped = std::ranges::find(before, 0) - before.begin();
  job.fit.reviewed = {example.Write("v.csv", "id,verdict,probability\n" + std::to_string(kept) +
                                                 ",shifted,0.5\n" + std::to_string(dropped) +
                                                 ",clean,0.5\n")};
  job.output = example.directory / "reviewed.parquet";
  const JobReport report = Get(Run(job, Threads(1)));
  std::vector<int> expected = before;
  expected[static_cast<std::size_t>(kept)] = 0;
  expected[static_cast<std::size_t>(dropped)] = 1;
  BOOST_TEST(Keeps(job.output) == expected, boost::test_tools::per_element());
  BOOST_TEST(report.score->counts.reviewed.kept.looks_shifted == 1);
  BOOST_TEST(report.score->counts.reviewed.dropped.looks == 1);
  const std::optional<LookEstimates> estimates = EstimatesOf(report.score->counts);
  BOOST_TEST_REQUIRE(estimates.has_value());
  // One clean row among the looks at the drops, which its verdict has kept.
  BOOST_TEST(estimates->looks_dropped == 1);
  BOOST_TEST(report.fit->summary.review->random == 2);
}

BOOST_AUTO_TEST_CASE(with_nothing_learned_the_model_has_the_same_bytes) {
  const Reviewed example;
  CleanJob job = example.Robust("a.parquet");
  job.fit.model = example.directory / "a.model";
  Get(Run(job, Threads(1)));
  job.fit.reviewed = {example.Write("v.jsonl", "{\"id\": 3, \"verdict\": \"unsure\"}\n")};
  job.output = example.directory / "b.parquet";
  job.fit.model = example.directory / "b.model";
  Get(Run(job, Threads(2)));
  const Model a = Get(LoadModel(example.directory / "a.model"));
  const Model b = Get(LoadModel(example.directory / "b.model"));
  BOOST_TEST(a.classifier.hidden_weight == b.classifier.hidden_weight,
             boost::test_tools::per_element());
  BOOST_TEST(test::ReadFile(example.directory / "a.parquet") ==
             test::ReadFile(example.directory / "b.parquet"));
}

BOOST_AUTO_TEST_CASE(without_a_refit_only_reviewed_rows_change_and_with_one_they_are_learned) {
  const Reviewed example;
  CleanJob job = example.Robust("out", {example.directory / "lake"});
  Get(Run(job, Threads(1)));
  const std::vector<int> before = Keeps(example.directory / "out/b.parquet");
  const std::string other = test::ReadFile(example.directory / "out/a.parquet");
  const auto kept = std::ranges::find(before, 1) - before.begin();
  job.fit.reviewed = {
      example.Write("v.csv", "file,row,verdict\nb.parquet," + std::to_string(kept) + ",shifted\n")};
  const JobReport update = Get(Run(job, Threads(1)));
  BOOST_TEST(update.update->reviewed == std::vector<std::string>{"b.parquet"},
             boost::test_tools::per_element());
  BOOST_TEST(!update.review->is_learned);
  std::vector<int> expected = before;
  expected[static_cast<std::size_t>(kept)] = 0;
  BOOST_TEST(Keeps(example.directory / "out/b.parquet") == expected,
             boost::test_tools::per_element());
  BOOST_TEST(test::ReadFile(example.directory / "out/a.parquet") == other);
  const auto manifest =
      nlohmann::json::parse(test::ReadFile(example.directory / ".out.spuna/manifest.json"));
  BOOST_TEST(manifest.at("reviewed").get<std::string>().size() >= 16U);
  BOOST_TEST(!manifest.at("fit").contains("reviewed"));
  // The same again: nothing to do. Without the option as well: what was decided stays.
  BOOST_TEST(Get(Run(job, Threads(1))).was_done);
  const std::vector<std::string> reviewed = std::exchange(job.fit.reviewed, {});
  BOOST_TEST(Get(Run(job, Threads(1))).was_done);

  job.fit.reviewed = reviewed;
  job.refit = true;
  const JobReport refit = Get(Run(job, Threads(1)));
  BOOST_TEST(refit.review->is_learned);
  BOOST_TEST(refit.fit->summary.review->shifted == 1);
  BOOST_TEST(Keeps(example.directory / "out/b.parquet")[static_cast<std::size_t>(kept)] == 0);
  BOOST_TEST(test::ReadFile(example.directory / "out/a.parquet") != other);
}

BOOST_AUTO_TEST_CASE(reviewed_rows_are_in_every_sample) {
  const Reviewed example;
  CleanJob job = example.Robust("out.parquet");
  job.fit.options.fit_rows = 100;
  std::string text = "id,verdict\n";
  for (int id = 0; id < 300; id += 10) text += std::to_string(id) + ",clean\n";
  job.fit.reviewed = {example.Write("v.csv", text)};
  const JobReport report = Get(Run(job, Threads(1)));
  // 30 reviewed rows, of which about a third is in the sample of 100 anyway.
  BOOST_TEST(report.fit->summary.rows_pool > 105);
  BOOST_TEST(report.fit->summary.rows_pool <= 130);
  BOOST_TEST(*report.fit->summary.sampled_from == 300);
}

BOOST_AUTO_TEST_CASE(rows_of_other_lakes_are_learned_by_their_embeddings) {
  const Reviewed example;
  CleanJob job = example.Robust("out.parquet");
  const std::string row = "[1.5, 1.5, 1.5, 1.5, 1.5, 1.5]";
  job.fit.reviewed = {example.Write(
      "v.jsonl", "{\"id\": \"old-1\", \"verdict\": \"shifted\", \"embedding\": " + row + "}\n")};
  const JobReport report = Get(Run(job, Threads(1)));
  BOOST_TEST(report.fit->summary.review->outside == 1);
  BOOST_TEST(report.fit->summary.rows_pool == 300);
  BOOST_TEST(report.score->counts.in == 300);
  job.fit.reviewed = {example.Write(
      "w.jsonl", "{\"id\": \"x\", \"verdict\": \"shifted\", \"embedding\": [1, 2]}\n")};
  job.output = example.directory / "other.parquet";
  const std::string message = Run(job, Threads(1)).status().message();
  BOOST_TEST(message.find("expected an embedding of 6 numbers, as the pool has, but found 2") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(labels_by_neighbors_know_no_verdicts) {
  const Reviewed example;
  CleanJob job = example.Robust("out.parquet");
  job.fit.options.recipe = Recipe::kPaper;
  job.fit.reviewed = {example.Write("v.csv", "id,verdict\n1,clean\n")};
  const std::string message = Run(job, Threads(1)).status().message();
  BOOST_TEST(message.starts_with("`reviewed` is for `targets` refined"), message);
}

BOOST_AUTO_TEST_CASE(a_review_writes_page_and_list_and_leaves_out_what_was_reviewed) {
  const Reviewed example;
  ReviewJob job;
  job.fit = example.Robust("unused").fit;
  job.rows = 20;
  job.output = example.directory / "page.html";
  job.list = example.directory / "list.parquet";
  const ReviewReport report = Get(Run(job, Threads(1)));
  BOOST_TEST(report.list.rows.size() == 20U);
  const auto list = test::ReadParquet(example.directory / "list.parquet");
  BOOST_TEST(list->num_rows() == 20);
  BOOST_TEST(test::ReadFile(example.directory / "page.html").find(report.list.rows.front().id) !=
             std::string::npos);
  BOOST_TEST(Run(job, Threads(1)).status().message().find("exists") != std::string::npos);

  std::string text = "id,verdict\n";
  std::set<std::string> seen;
  for (const ReviewItem& item : report.list.rows) {
    text += item.id + ",unsure\n";
    seen.insert(item.id);
  }
  job.fit.reviewed = {example.Write("v.csv", text)};
  job.fit.overwrite = true;
  const ReviewReport next = Get(Run(job, Threads(1)));
  BOOST_TEST(next.reviewed_before == 20);
  for (const ReviewItem& item : next.list.rows) BOOST_TEST(!seen.contains(item.id));
}

BOOST_AUTO_TEST_CASE(a_model_chooses_as_well_without_trusted_rows) {
  const Reviewed example;
  CleanJob clean = example.Robust("out.parquet");
  clean.fit.model = example.directory / "m.safetensors";
  Get(Run(clean, Threads(1)));
  ReviewJob job;
  job.model = clean.fit.model;
  job.fit.pool = {example.directory / "out.parquet"};
  job.rows = 10;
  const ReviewReport report = Get(Run(job, Threads(1)));
  BOOST_TEST(report.list.rows.size() == 10U);
  for (const ReviewItem& item : report.list.rows) {
    BOOST_TEST(!item.nearest_trusted.has_value());
    BOOST_TEST(item.face.values.size() >= 3U);
  }
  job.model.reset();
  BOOST_TEST(Run(job, Threads(1)).status().message() ==
             "`trusted` or `model` is required: rows to fit on, or a model");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
