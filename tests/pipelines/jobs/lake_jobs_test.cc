#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "pipelines/jobs/jobs.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using test::Get;
using test::Threads;

// A pool of several files in partitions.
struct Lake : test::FilesExample {
  Lake() {
    const auto table = test::EmbeddingTable(pool);
    test::WriteParquet(directory / "lake/k=1/a.parquet", *table->Slice(0, 120), 50);
    test::WriteParquet(directory / "lake/k=1/b.parquet", *table->Slice(120, 80), 33);
    test::WriteParquet(directory / "lake/k=2/a.parquet", *table->Slice(200));
  }

  CleanJob Clean(const std::string& output) const {
    return FilesExample::Clean(output, {directory / "lake"});
  }

  std::string Manifest(const std::string& output) const {
    return test::ReadFile(directory / ("." + output + ".spuna/manifest.json"));
  }

  // The bytes of the Parquet files and of `others`, by name.
  std::map<std::string, std::string> Bytes(const std::string& output,
                                           const std::vector<std::string>& others = {}) const {
    std::map<std::string, std::string> bytes;
    for (const std::string& name : directory.List()) {
      if (name.starts_with(output + "/") && name.ends_with(".parquet")) {
        bytes[name.substr(output.size())] = test::ReadFile(directory / name);
      }
    }
    for (const std::string& name : others) bytes[name] = test::ReadFile(directory / name);
    return bytes;
  }

  // What a finished run must not leave: hidden files, but for the state of an output directory.
  bool HasHidden() const {
    const std::set<std::string> kept = {"configuration.json", "manifest.json", "model.safetensors"};
    for (const std::string& name : directory.List()) {
      const fs::path path(name);
      const bool is_state = name.starts_with('.') && name.ends_with(".spuna") &&
                            fs::is_directory(directory / name.substr(1, name.size() - 7));
      const bool is_kept = kept.contains(path.filename()) && path.parent_path().has_filename() &&
                           !path.parent_path().has_parent_path();
      const bool is_hidden = name.starts_with('.') || name.find("/.") != std::string::npos;
      if (is_hidden && !is_state && !is_kept) return true;
    }
    return false;
  }
};

// Runs a job again and again, each time stopped a little later, until it ends.
template <typename Job>
int RunInPieces(const Job& job, int step) {
  int stopped = 0;
  for (int pieces = 0; pieces < 10'000; ++pieces) {
    int questions = 0;
    Runtime runtime;
    runtime.num_threads = 1;
    runtime.should_stop = [&] { return ++questions > step + pieces * step / 8; };
    const auto report = Run(job, runtime);
    if (report.ok()) return stopped;
    BOOST_TEST_REQUIRE(report.status().IsCancelled(), report.status().message());
    ++stopped;
  }
  return -1;
}

BOOST_AUTO_TEST_SUITE(lake_jobs)

BOOST_AUTO_TEST_CASE(a_job_that_is_stopped_anywhere_goes_on_to_the_same_result) {
  for (const Recipe recipe : {Recipe::kPaper, Recipe::kRobust}) {
    const Lake lake;
    CleanJob whole = lake.Clean("whole");
    whole.fit.options.recipe = recipe;
    whole.fit.model = lake.directory / "m";
    whole.fit.labels = lake.directory / "l.parquet";
    Get(Run(whole, Threads(2)));
    const auto expected = lake.Bytes("whole", {"m", "l.parquet"});
    BOOST_TEST(expected.size() == 5U);
    fs::remove(lake.directory / "m");
    fs::remove(lake.directory / "l.parquet");

    CleanJob pieces = whole;
    pieces.output = lake.directory / "pieces";
    pieces.fit.checkpoint_seconds = 0;
    const int stopped = RunInPieces(pieces, 20);
    BOOST_TEST(stopped > 3);
    BOOST_TEST((lake.Bytes("pieces", {"m", "l.parquet"}) == expected));
    BOOST_TEST(!lake.HasHidden());
  }
}

BOOST_AUTO_TEST_CASE(a_single_file_goes_on_too) {
  const Lake lake;
  CleanJob job = lake.FilesExample::Clean("whole.parquet");
  Get(Run(job, Threads(1)));
  job.output = lake.directory / "pieces.parquet";
  job.fit.checkpoint_seconds = 0;
  BOOST_TEST(RunInPieces(job, 20) > 3);
  BOOST_TEST(test::ReadFile(lake.directory / "pieces.parquet") ==
             test::ReadFile(lake.directory / "whole.parquet"));
  FitJob fit = lake.Fit("whole.model");
  Get(Run(fit, Threads(1)));
  fit.model = lake.directory / "pieces.model";
  fit.checkpoint_seconds = 0;
  BOOST_TEST(RunInPieces(fit, 20) > 3);
  BOOST_TEST(test::ReadFile(lake.directory / "pieces.model") ==
             test::ReadFile(lake.directory / "whole.model"));
  BOOST_TEST(!lake.HasHidden());
}

BOOST_AUTO_TEST_CASE(a_job_that_is_stopped_before_it_has_anything_leaves_nothing) {
  const Lake lake;
  const auto before = lake.directory.List();
  CleanJob job = lake.Clean("out");
  job.fit.checkpoint_seconds = 1e9;
  Runtime runtime;
  int questions = 0;
  runtime.should_stop = [&] { return ++questions > 30; };
  BOOST_TEST(Run(job, runtime).status().IsCancelled());
  BOOST_TEST(lake.directory.List() == before, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(finished_files_are_not_written_again) {
  const Lake lake;
  ScoreJob job;
  Get(Run(lake.Fit("model"), Threads(1)));
  job.model = lake.directory / "model";
  job.input = {lake.directory / "lake"};
  job.output = lake.directory / "out";
  int questions = 0;
  Runtime runtime;
  runtime.should_stop = [&] {
    // When the second file has its name, and the third has not begun.
    return fs::exists(lake.directory / "out/k=1/b.parquet") && ++questions > 0;
  };
  BOOST_TEST(Run(job, runtime).status().IsCancelled());
  const auto written = fs::last_write_time(lake.directory / "out/k=1/a.parquet");
  // What is not as it was written is written again.
  const std::string damaged = lake.directory / "out/k=1/b.parquet";
  const std::string bytes = test::ReadFile(damaged);
  test::WriteFile(damaged, bytes.substr(1));
  const auto report = Get(Run(job, Threads(1)));
  BOOST_TEST(report.score->counts.in == 300);
  BOOST_TEST((fs::last_write_time(lake.directory / "out/k=1/a.parquet") == written));
  BOOST_TEST(test::ReadFile(damaged) == bytes);
  BOOST_TEST(!lake.HasHidden());
  // A finished output is left alone, but for what is missing in it.
  BOOST_TEST(Get(Run(job, Threads(1))).was_done);
  fs::remove(damaged);
  const auto again = Get(Run(job, Threads(1)));
  BOOST_TEST(!again.was_done);
  BOOST_TEST(again.update->made_again == std::vector<std::string>{"k=1/b.parquet"},
             boost::test_tools::per_element());
  BOOST_TEST(test::ReadFile(damaged) == bytes);
  BOOST_TEST((fs::last_write_time(lake.directory / "out/k=1/a.parquet") == written));
}

BOOST_AUTO_TEST_CASE(what_the_fit_sees_does_not_depend_on_the_order_of_paths_and_threads) {
  const Lake lake;
  std::vector<std::string> files = {lake.directory / "lake/k=1/a.parquet",
                                    lake.directory / "lake/k=1/b.parquet",
                                    lake.directory / "lake/k=2/a.parquet"};
  std::vector<std::string> models;
  for (const int threads : {1, 3}) {
    FitJob job = lake.Fit("m" + std::to_string(threads), files);
    job.options.fit_rows = 150;
    const auto report = Get(Run(job, Threads(threads)));
    BOOST_TEST(report.fit->summary.rows_pool == 150);
    BOOST_TEST(report.fit->summary.sampled_from.value() == 300);
    models.push_back(test::ReadFile(*job.model));
    std::ranges::reverse(files);
  }
  BOOST_TEST(models[0] == models[1]);
  // As many rows as there are is no sample.
  FitJob all = lake.Fit("all", files);
  all.options.fit_rows = 300;
  BOOST_TEST(!Get(Run(all, Threads(1))).fit->summary.sampled_from.has_value());
}

BOOST_AUTO_TEST_CASE(rows_outside_the_sample_have_no_label_but_a_score) {
  const Lake lake;
  CleanJob job = lake.Clean("out");
  job.fit.options.fit_rows = 100;
  job.fit.labels = lake.directory / "labels.parquet";
  const auto report = Get(Run(job, Threads(2)));
  BOOST_TEST(report.score->counts.in == 300);
  const auto labels = test::ReadParquet(lake.directory / "labels.parquet");
  BOOST_TEST(labels->num_rows() == 300);
  const auto& neighbor_scores = *labels->GetColumnByName("spuna_neighbor_score");
  BOOST_TEST(neighbor_scores.length() - neighbor_scores.null_count() == 100);
}

BOOST_AUTO_TEST_CASE(bad_files_end_the_run_or_are_told) {
  for (const std::string kind : {"garbage", "cut", "page"}) {
    BOOST_TEST_CONTEXT(kind) {
      const Lake lake;
      const std::string bad = lake.directory / "lake/k=1/b.parquet";
      std::string bytes = test::ReadFile(bad);
      if (kind == "garbage") bytes = "this is no Parquet file, and never was";
      if (kind == "cut") bytes.resize(bytes.size() / 2);
      if (kind == "page") {
        for (std::size_t i = 300; i < bytes.size() / 2; ++i) bytes[i] = '\x7f';
      }
      test::WriteFile(bad, bytes);
      CleanJob job = lake.Clean("out");
      const auto failed = Run(job, Threads(2));
      BOOST_TEST(failed.status().message().find("k=1/b.parquet") != std::string::npos,
                 failed.status().message());
      job.fit.on_bad_file = OnBadFile::kSkip;
      const auto report = Get(Run(job, Threads(2)));
      BOOST_TEST(report.skipped.size() == 1U);
      BOOST_TEST(report.skipped.contains("k=1/b.parquet"));
      BOOST_TEST(report.score->counts.in == 220);
      BOOST_TEST(!fs::exists(lake.directory / "out/k=1/b.parquet"));
      const auto manifest = nlohmann::json::parse(lake.Manifest("out"));
      BOOST_TEST(manifest["skipped"][0]["path"] == "k=1/b.parquet");
      BOOST_TEST(manifest["total"]["files"] == 2);
      // Tried again, and reported again.
      BOOST_TEST(Get(Run(job, Threads(1))).skipped.size() == 1U);
      BOOST_TEST(!lake.HasHidden());
    }
  }
}

BOOST_AUTO_TEST_CASE(the_first_file_may_be_the_bad_one) {
  const Lake lake;
  test::WriteFile(lake.directory / "lake/k=1/a.parquet", "this is no Parquet file, and never was");
  CleanJob job = lake.Clean("out");
  job.fit.on_bad_file = OnBadFile::kSkip;
  const auto report = Get(Run(job, Threads(1)));
  BOOST_TEST(report.skipped.contains("k=1/a.parquet"));
  BOOST_TEST(report.score->counts.in == 180);
}

// Stops a job once a file is there.
template <typename Job>
void StopWhenThere(const Job& job, const std::string& path) {
  Runtime runtime;
  runtime.should_stop = [&] { return fs::exists(path); };
  BOOST_TEST_REQUIRE(Run(job, runtime).status().IsCancelled());
}

BOOST_AUTO_TEST_CASE(a_checkpoint_of_other_rows_is_not_taken) {
  const Lake lake;
  const std::vector<std::string> files = {lake.directory / "lake/k=1/a.parquet",
                                          lake.directory / "lake/k=2/a.parquet"};
  FitJob job = lake.Fit("m", files);
  job.checkpoint_seconds = 0;
  StopWhenThere(job, lake.directory / ".m.spuna/expansion.safetensors");
  // The same files in another order are the same configuration and other rows.
  std::ranges::reverse(job.pool);
  Get(Run(job, Threads(1)));
  FitJob whole = job;
  whole.model = lake.directory / "whole";
  Get(Run(whole, Threads(1)));
  BOOST_TEST(test::ReadFile(*job.model) == test::ReadFile(*whole.model));
}

BOOST_AUTO_TEST_CASE(files_of_others_in_a_stopped_output_stay) {
  const Lake lake;
  CleanJob job = lake.Clean("out");
  job.fit.checkpoint_seconds = 0;
  StopWhenThere(job, lake.directory / ".out.spuna/expansion.safetensors");
  test::WriteFile(lake.directory / "out/precious", "mine");
  BOOST_TEST(Run(job, Threads(1)).status().message() ==
             "`out`: " + job.output +
                 ": holds precious, which is none of this run's; move it away or add `--refit`");
  BOOST_TEST(test::ReadFile(lake.directory / "out/precious") == "mine");
}

BOOST_AUTO_TEST_CASE(a_model_that_appeared_meanwhile_is_not_replaced) {
  const Lake lake;
  FitJob job = lake.Fit("m");
  job.checkpoint_seconds = 0;
  Runtime runtime;
  runtime.on_progress = [&](const std::string& stage, double, std::int64_t) {
    if (stage == "distill") test::WriteFile(lake.directory / "m", "someone else's");
  };
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(Run(job, runtime).status().message().find("exists already") != std::string::npos);
    BOOST_TEST(test::ReadFile(lake.directory / "m") == "someone else's");
  }
}

BOOST_AUTO_TEST_CASE(a_run_that_stopped_between_its_two_outputs_goes_on) {
  const Lake lake;
  CleanJob job = lake.Clean("kept");
  job.drop = true;
  job.dropped = lake.directory / "dropped";
  Get(Run(job, Threads(1)));
  const auto expected = lake.Bytes("kept");
  const auto dropped = lake.Bytes("dropped");
  // As if it had been killed before the kept rows were finished.
  fs::remove(lake.directory / "kept/_SUCCESS");
  fs::remove(lake.directory / ".kept.spuna/manifest.json");
  test::WriteFile(lake.directory / ".kept.spuna/journal.jsonl", R"({"key":"begun","value":true})"
                                                                "\n");
  const auto report = Get(Run(job, Threads(1)));
  BOOST_TEST(!report.was_done);
  BOOST_TEST((lake.Bytes("kept") == expected));
  BOOST_TEST((lake.Bytes("dropped") == dropped));
  BOOST_TEST(fs::exists(lake.directory / "dropped/_SUCCESS"));
  BOOST_TEST(!lake.HasHidden());
}

BOOST_AUTO_TEST_CASE(names_that_are_no_text_survive) {
  const Lake lake;
  CleanJob job = lake.Clean("out");
  job.fit.prefix = "\xff_";
  BOOST_TEST(Run(job, Threads(1)).ok());
}

BOOST_AUTO_TEST_CASE(an_output_that_its_own_pattern_would_read_is_refused) {
  const Lake lake;
  CleanJob job = lake.Clean("lake/out");
  job.fit.pool = {lake.directory / "lake/**/*.parquet"};
  BOOST_TEST(Run(job, Threads(1)).status().message() ==
             "`out`: " + job.output +
                 ": the pattern of `pool` could match what is written here; choose a place "
                 "outside it");
  job.fit.pool = {lake.directory / "lake/k=*/*.parquet"};
  BOOST_TEST(Run(job, Threads(1)).ok());
}

BOOST_AUTO_TEST_CASE(dropped_rows_go_to_a_place_of_their_own) {
  const Lake lake;
  CleanJob job = lake.Clean("kept");
  job.drop = true;
  job.dropped = lake.directory / "dropped";
  const auto report = Get(Run(job, Threads(2)));
  std::int64_t kept = 0;
  std::int64_t dropped = 0;
  for (const char* name : {"/k=1/a.parquet", "/k=1/b.parquet", "/k=2/a.parquet"}) {
    kept += test::ReadParquet(lake.directory / (std::string("kept") + name))->num_rows();
    const auto rows = test::ReadParquet(lake.directory / (std::string("dropped") + name));
    for (const float score : test::Scores(*rows)) BOOST_TEST(score >= 0.5F);
    dropped += rows->num_rows();
  }
  BOOST_TEST(kept == report.score->counts.kept);
  BOOST_TEST(dropped == report.score->counts.dropped);
  BOOST_TEST(kept + dropped == 300);
  BOOST_TEST(fs::exists(lake.directory / "dropped/_SUCCESS"));
  job.drop = false;
  BOOST_TEST(Run(job, Threads(1)).status().message() ==
             "`dropped` needs `drop`: without it no row is left out");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
