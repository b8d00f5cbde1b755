#include "pipelines/report/explanation.h"

#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "pipelines/jobs/jobs.h"
#include "pipelines/jobs/summary.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Threads;

const std::vector<std::string> kOfFitAlone = {
    "round",           "nearest_trusted",          "nearest_trusted_distance",
    "nearest_shifted", "nearest_shifted_distance", "kind"};

// A lake of three days, cleaned with all that can be found out, and the model of that.
struct Lake : test::FilesExample {
  CleanJob clean;
  JobReport cleaned;

  Lake() {
    for (int day = 0; day < 3; ++day) {
      const auto rows = test::EmbeddingTable(pool)->Slice(100 * day, 100);
      test::WriteParquet(directory / ("lake/day=" + std::to_string(day) + "/part.parquet"), *rows,
                         40);
    }
    clean = Clean("cleaned", {directory / "lake"});
    clean.fit.options.recipe = Recipe::kRobust;
    clean.fit.model = directory / "model";
    clean.p_values = true;
    clean.group_by = {"day", "shifted"};
    clean.reasons = directory / "clean.parquet";
    cleaned = test::Get(Run(clean, Threads(2)));
  }

  // Scores with that model, and asks for the same.
  ScoreJob Score(const std::string& output, const std::string& input = "lake") const {
    ScoreJob job;
    job.model = directory / "model";
    job.input = {directory / input};
    job.output = directory / output;
    return job;
  }
};

// The data of a page.
json DataOf(const std::string& page) {
  const std::string begin = R"(id="report-data">)";
  const std::size_t at = page.find(begin) + begin.size();
  return json::parse(page.substr(at, page.find("</script", at) - at));
}

json GroupsIn(const JobReport& report) { return ToJson(report).at("groups"); }

BOOST_FIXTURE_TEST_SUITE(explanation, Lake)

BOOST_AUTO_TEST_CASE(scoring_counts_the_groups_that_the_clean_counted) {
  ScoreJob job = Score("scored");
  job.group_by = {"day", "shifted"};
  const JobReport report = test::Get(Run(job, Threads(1)));
  BOOST_TEST(GroupsIn(report) == GroupsIn(cleaned));
  BOOST_TEST(report.groups.front().groups.size() == 3U);
  BOOST_TEST_REQUIRE(report.score->counts.dropped > 0);
  BOOST_TEST(!report.distance.has_value());
  BOOST_TEST(report.kinds.empty());
  BOOST_TEST(!report.files_explained.has_value());
  BOOST_TEST(Summarize(report, "").find("by day") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(its_reasons_are_those_of_the_clean_but_for_what_a_fit_knows) {
  ScoreJob job = Score("scored");
  job.reasons = directory / "reasons.parquet";
  BOOST_TEST((test::Get(Run(job, Threads(2))).reasons == job.reasons));
  const auto expected = test::Get(test::ReadParquet(*clean.reasons)->CombineChunks());
  const auto found = test::Get(test::ReadParquet(*job.reasons)->CombineChunks());
  BOOST_TEST(found->schema()->Equals(*expected->schema()));
  BOOST_TEST_REQUIRE(found->num_rows() > 0);
  for (const char* column : {"id", "file", "row", "score", "p_value", "reason"}) {
    BOOST_TEST(found->GetColumnByName(column)->Equals(*expected->GetColumnByName(column)), column);
    BOOST_TEST(found->GetColumnByName(column)->null_count() == 0, column);
  }
  for (const std::string& column : kOfFitAlone) {
    BOOST_TEST(found->GetColumnByName(column)->null_count() == found->num_rows(), column);
  }
}

BOOST_AUTO_TEST_CASE(its_page_leaves_out_what_a_fit_knows_and_says_so) {
  ScoreJob job = Score("scored");
  job.report = directory / "report.html";
  job.group_by = {"day"};
  job.truth = "shifted";
  const JobReport report = test::Get(Run(job, Threads(2)));
  BOOST_TEST((report.page == job.report));
  const json page = DataOf(test::ReadFile(*job.report));
  for (const char* part : {"plane", "kinds", "rounds", "entropy"}) {
    BOOST_TEST(!page.contains(part), part);
  }
  BOOST_TEST(!page.at("scores").contains("trusted"));
  std::int64_t scored = 0;
  for (const json& rows : page.at("scores").at("pool")) scored += rows.get<std::int64_t>();
  BOOST_TEST(scored == 300);
  BOOST_TEST(page.at("reliability").at("bins").size() > 1U);
  BOOST_TEST(page.at("groups").at(0).at("rows").size() == 3U);
  const std::string summary = page.at("summary").dump();
  BOOST_TEST(summary.find("scored with a model that was fitted earlier") != std::string::npos);
  BOOST_TEST(summary.find("Verdict") == std::string::npos);
  BOOST_TEST(summary.find("this run") == std::string::npos);
  const json& highest = page.at("highest");
  BOOST_TEST_REQUIRE(highest.size() == 12U);
  for (std::size_t i = 1; i < highest.size(); ++i) {
    BOOST_TEST(highest[i].at("score").get<float>() <= highest[i - 1].at("score").get<float>());
  }
}

BOOST_AUTO_TEST_CASE(one_file_is_explained_too) {
  ScoreJob job = Score("scored.parquet", "pool.parquet");
  job.group_by = {"shifted"};
  job.reasons = directory / "reasons.parquet";
  job.report = directory / "report.html";
  const JobReport report = test::Get(Run(job, Threads(2)));
  BOOST_TEST(GroupsIn(report).at("shifted") == GroupsIn(cleaned).at("shifted"));
  BOOST_TEST(test::ReadParquet(*job.reasons)->num_rows() == report.score->counts.dropped);
  BOOST_TEST(DataOf(test::ReadFile(*job.report)).at("facts").at(0).at(1) == "300");
  // Nothing is left beside them.
  for (const std::string& name : directory.List()) {
    BOOST_TEST((!name.starts_with(".") || name.starts_with(".cleaned.spuna")), name);
  }
}

BOOST_AUTO_TEST_CASE(what_exists_is_replaced_only_if_asked) {
  test::WriteFile(directory / "taken", "mine");
  for (const std::string name : {"reasons", "report"}) {
    for (const char* input : {"lake", "pool.parquet"}) {
      ScoreJob job = Score("out-" + name, input);
      (name == "reasons" ? job.reasons : job.report) = directory / "taken";
      BOOST_TEST(Run(job, Threads(1)).status().message().starts_with("`" + name + "`: "));
      BOOST_TEST(test::ReadFile(directory / "taken") == "mine");
      BOOST_TEST(!fs::exists(job.output));
      const auto plan = Plan(job, Threads(1));
      BOOST_TEST(plan.status().message().starts_with("`" + name + "`: "));
    }
  }
  ScoreJob job = Score("out");
  job.reasons = directory / "taken";
  job.options.overwrite = true;
  const JobReport report = test::Get(Run(job, Threads(1)));
  BOOST_TEST(report.score->counts.dropped == test::ReadParquet(*job.reasons)->num_rows());
  job.report = job.reasons;
  BOOST_TEST(Run(job, Threads(1)).status().message().find("`report`") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(columns_that_are_not_there_are_named_before_the_work) {
  auto refusal = [&](auto set) {
    ScoreJob job = Score("out");
    set(job);
    const std::string message = Run(job, Threads(1)).status().message();
    BOOST_TEST(Plan(job, Threads(1)).status().message() == message);
    BOOST_TEST(!fs::exists(job.output));
    return message;
  };
  auto missing = [](const std::string& option) {
    return "there is no column 'nix' as `" + option + "` says";
  };
  BOOST_TEST(refusal([](ScoreJob& job) { job.group_by = {"nix"}; }).find(missing("group-by")) !=
             std::string::npos);
  BOOST_TEST(refusal([](ScoreJob& job) { job.image = "nix"; }).find(missing("report-image")) !=
             std::string::npos);
  auto with_page = [&](std::string ScoreJob::* member, const std::string& column) {
    return refusal([&](ScoreJob& job) {
      job.report = directory / "report.html";
      job.*member = column;
    });
  };
  BOOST_TEST(with_page(&ScoreJob::id, "nix").find(missing("id")) != std::string::npos);
  BOOST_TEST(with_page(&ScoreJob::truth, "nix").find(missing("truth")) != std::string::npos);
  BOOST_TEST(!fs::exists(directory / "report.html"));
}

BOOST_AUTO_TEST_CASE(a_plan_lists_what_would_be_written) {
  ScoreJob job = Score("out");
  job.reasons = directory / "reasons.parquet";
  job.report = directory / "report.html";
  const JobPlan plan = test::Get(Plan(job, Threads(1)));
  BOOST_TEST_REQUIRE(plan.outputs.size() == 3U);
  BOOST_TEST(plan.outputs[1].path == *job.reasons);
  BOOST_TEST(plan.outputs[2].path == *job.report);
  BOOST_TEST(!fs::exists(*job.reasons));
}

BOOST_AUTO_TEST_CASE(a_part_of_the_files_is_said_to_be_one) {
  Source part = test::Get(Source::List(
      {{directory / "lake/day=1", directory / "lake/day=2"}, "pool"}, OnBadFile::kError));
  test::Require(part.Survey({}, {}, Threads(1)));
  const Model model = test::Get(LoadModel(directory / "model"));
  FindingsOptions options;
  options.group_by = {"shifted"};
  options.report = directory / "report.html";
  Explanation written(options);
  test::Require(written.Stage(/*state=*/nullptr, /*may_replace=*/false, /*manifest=*/nullptr));
  const Runtime runtime = Threads(1);
  StageClock clock(runtime);
  JobReport report;
  const ScoreOptions scoring;
  test::Require(written.Write({.pool = part, .model = model, .scoring = scoring, .is_part = true},
                              /*state=*/nullptr, report, clock));
  BOOST_TEST(ToJson(report).at("files_explained") == 2);
  BOOST_TEST(Summarize(report, "").find("of the 2 files scored by this run") != std::string::npos);
  const json page = DataOf(test::ReadFile(*options.report));
  BOOST_TEST(page.at("summary").at(0).get<std::string>().starts_with("Of 200 rows "));
  BOOST_TEST(page.at("summary").at(1) ==
             "These are the rows of the 2 files scored by this run; files that were scored earlier "
             "are not counted.");
  BOOST_TEST(FilesScored(1) == "1 file scored by this run");
}

BOOST_AUTO_TEST_CASE(what_a_stopped_run_has_named_is_its_own) {
  Source source = test::Get(Source::List({{directory / "lake"}, "pool"}, OnBadFile::kError));
  test::Require(source.Survey({}, {}, Threads(1)));
  const Model model = test::Get(LoadModel(directory / "model"));
  RunState state = test::Get(RunState::Open({directory / "state", "out", "out"}, {}, false));
  FindingsOptions options;
  options.reasons = directory / "reasons.parquet";
  const Runtime runtime = Threads(1);
  StageClock clock(runtime);
  JobReport report;
  const ScoreOptions scoring;
  Explanation stopped(options);
  test::Require(stopped.Stage(&state, /*may_replace=*/false, /*manifest=*/nullptr));
  test::Require(
      stopped.Write({.pool = source, .model = model, .scoring = scoring}, &state, report, clock));
  BOOST_TEST(fs::exists(*options.reasons));
  BOOST_TEST(Explanation(options).Stage(&state, /*may_replace=*/false, /*manifest=*/nullptr).ok());
  BOOST_TEST(!Explanation(options)
                  .Stage(/*state=*/nullptr, /*may_replace=*/false, /*manifest=*/nullptr)
                  .ok());
  BOOST_TEST(Explanation(options)
                 .Stage(/*state=*/nullptr, /*may_replace=*/true, /*manifest=*/nullptr)
                 .ok());
  // So is what an earlier run has written under the very name.
  json manifest = {{"findings", stopped.Describe()}};
  BOOST_TEST(stopped.WasWritten(&manifest));
  BOOST_TEST(Explanation(options).Stage(/*state=*/nullptr, /*may_replace=*/false, &manifest).ok());
  manifest["findings"]["reasons"] = "elsewhere";
  BOOST_TEST(!stopped.WasWritten(&manifest));
  BOOST_TEST(!Explanation(options).Stage(/*state=*/nullptr, /*may_replace=*/false, &manifest).ok());
}

BOOST_AUTO_TEST_CASE(scores_without_classifier_decide_nothing_to_explain) {
  auto refusal = [&](auto set) {
    ScoreJob job = Score("out");
    job.options.by = ScoreBy::kNeighbors;
    set(job);
    return job.Validate().message();
  };
  BOOST_TEST(refusal([](ScoreJob& job) { job.reasons = "r"; }) ==
             "`reasons` needs the classifier's score");
  BOOST_TEST(refusal([](ScoreJob& job) { job.report = "r"; }) ==
             "`report` needs the classifier's score");
  BOOST_TEST(refusal([](ScoreJob& job) { job.group_by = {"day"}; }) ==
             "`group-by` needs the classifier's score");
}

BOOST_AUTO_TEST_CASE(a_stream_is_not_explained) {
  auto refusal = [&](auto set) {
    ScoreJob job = Score("out");
    job.output = "-";
    set(job);
    return Run(job, Threads(1)).status().message();
  };
  auto message = [](const std::string& option) {
    return "`" + option +
           "` reads the rows once more when they are scored, and '-' as `out` is a stream; name a "
           "file or a directory as `out`";
  };
  BOOST_TEST(refusal([](ScoreJob& job) { job.reasons = "r"; }) == message("reasons"));
  BOOST_TEST(refusal([](ScoreJob& job) { job.report = "r"; }) == message("report"));
  BOOST_TEST(refusal([](ScoreJob& job) { job.group_by = {"day"}; }) == message("group-by"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
