#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "pipelines/jobs/jobs.h"
#include "pipelines/run/run_state.h"
#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"

namespace spuna {
namespace {

using nlohmann::json;
using test::Get;
using test::Matrix;
using test::RandomRows;
using test::Require;
using test::TempDirectory;
using test::Threads;

constexpr std::size_t kDimension = test::kDimension;

// A model and batches of rows in files.
struct MonitorExample {
  TempDirectory directory;

  MonitorExample() {
    test::WriteParquet(directory / "trusted.parquet",
                       *test::EmbeddingTable(RandomRows(400, kDimension, 1)));
    test::WriteParquet(directory / "pool.parquet",
                       *test::EmbeddingTable(test::ShiftedPool(600, kDimension, 2, 1.5)));
    Fit("model.safetensors", 0);
  }

  void Fit(const std::string& model, std::uint64_t seed, Recipe recipe = Recipe::kRobust) const {
    FitJob job;
    job.trusted = {directory / "trusted.parquet"};
    job.pool = {directory / "pool.parquet"};
    job.model = directory / model;
    job.options.recipe = recipe;
    job.options.hidden = 16;
    job.options.epochs = 2;
    job.options.seed = seed;
    Require(Run(job, Threads(1)).status());
  }

  // Writes a batch and returns its path.
  std::string Batch(const std::string& name, std::size_t num_rows, std::uint64_t seed,
                    double shift = 0) const {
    const std::string path = directory / name;
    test::WriteParquet(path, *test::EmbeddingTable(RandomRows(num_rows, kDimension, seed, shift)));
    return path;
  }

  MonitorJob Watch(const std::string& batch, const std::string& state = "") const {
    MonitorJob job;
    job.model = directory / "model.safetensors";
    job.input = {batch};
    if (!state.empty()) job.state = directory / state;
    return job;
  }
};

std::string MessageOf(const MonitorJob& job) { return Run(job, Threads(1)).status().message(); }

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

BOOST_AUTO_TEST_SUITE(monitor)

BOOST_AUTO_TEST_CASE(finds_nothing_in_clean_rows_and_shift_in_shifted_ones) {
  const MonitorExample example;
  const MonitorReport clean =
      Get(Run(example.Watch(example.Batch("clean.parquet", 150, 10)), Threads(1)));
  BOOST_TEST(!clean.found());
  BOOST_TEST(clean.counts.in == 150);
  BOOST_TEST(clean.counts.kept + clean.counts.dropped == 150);
  BOOST_TEST(clean.batch().batch == 1U);
  BOOST_TEST(clean.batch().share.low == 0);
  const MonitorReport shifted =
      Get(Run(example.Watch(example.Batch("shifted.parquet", 150, 11, 1.5)), Threads(2)));
  BOOST_TEST(shifted.found());
  BOOST_TEST(shifted.p_value <= 0.05);
  BOOST_TEST(shifted.batch().share.low > 0.5);
  BOOST_TEST(shifted.counts.dropped > 100);
}

BOOST_AUTO_TEST_CASE(remembers_batches_and_goes_on) {
  const MonitorExample example;
  for (int batch = 1; batch <= 3; ++batch) {
    const std::string name = "clean" + std::to_string(batch) + ".parquet";
    const std::string path = example.Batch(name, 60, static_cast<std::uint64_t>(20 + batch));
    const MonitorReport report = Get(Run(example.Watch(path, "state.json"), Threads(1)));
    BOOST_TEST(report.history.size() == static_cast<std::size_t>(batch));
    BOOST_TEST(report.rows_watched == static_cast<std::uint64_t>(60 * batch));
    BOOST_TEST(!report.found());
  }
  const std::string shifted = example.Batch("shifted.parquet", 200, 30, 1.5);
  BOOST_TEST(Get(Run(example.Watch(shifted, "state.json"), Threads(1))).found());
  // A clean batch does not unfind it, and nothing is left but the state.
  const MonitorReport last =
      Get(Run(example.Watch(example.directory / "clean1.parquet", "state.json"), Threads(1)));
  BOOST_TEST(last.found());
  BOOST_TEST(last.batch().batch == 5U);
  BOOST_TEST(last.batch().evidence >= last.history[3].evidence);
  BOOST_TEST(!std::filesystem::exists(StateBeside(example.directory / "state.json")));
  const json state = json::parse(test::ReadFile(example.directory / "state.json"));
  BOOST_TEST(state["history"].size() == 5U);
  for (const char* key :
       {"batch", "time", "rows", "kept", "dropped", "share", "low", "high", "evidence", "found"}) {
    BOOST_TEST(state["history"][0].contains(key), key);
  }
}

BOOST_AUTO_TEST_CASE(the_same_batches_give_the_same_state_whatever_the_threads_and_files) {
  const MonitorExample example;
  const std::string whole = example.Batch("whole.parquet", 90, 40);
  // The same rows in several row groups.
  test::WriteParquet(example.directory / "groups.parquet", *test::ReadParquet(whole), 7);
  Require(Run(example.Watch(whole, "a.json"), Threads(1)).status());
  Require(Run(example.Watch(example.directory / "groups.parquet", "b.json"), Threads(2)).status());
  auto without_time = [&](const std::string& name) {
    json state = json::parse(test::ReadFile(example.directory / name));
    for (json& batch : state["history"]) batch.erase("time");
    return state;
  };
  BOOST_TEST((without_time("a.json") == without_time("b.json")));
}

BOOST_AUTO_TEST_CASE(a_state_of_another_model_is_refused) {
  const MonitorExample example;
  const std::string batch = example.Batch("batch.parquet", 30, 50);
  Require(Run(example.Watch(batch, "state.json"), Threads(1)).status());
  const std::string before = test::ReadFile(example.directory / "state.json");
  example.Fit("other.safetensors", 1);
  MonitorJob job = example.Watch(batch, "state.json");
  job.model = example.directory / "other.safetensors";
  const std::string message = MessageOf(job);
  BOOST_TEST(Holds(message, "`state`: " + *job.state), message);
  BOOST_TEST(Holds(message, "it belongs to another model: expected the hash "), message);
  BOOST_TEST(test::ReadFile(example.directory / "state.json") == before);
}

BOOST_AUTO_TEST_CASE(damaged_states_are_errors) {
  const MonitorExample example;
  const std::string batch = example.Batch("batch.parquet", 30, 60);
  const std::string path = example.directory / "state.json";
  Require(Run(example.Watch(batch, "state.json"), Threads(1)).status());
  const std::string good = test::ReadFile(path);
  auto refuses = [&](const std::string& text, const std::string& why) {
    BOOST_TEST_CONTEXT(why) {
      test::WriteFile(path, text);
      const std::string message = MessageOf(example.Watch(batch, "state.json"));
      BOOST_TEST(Holds(message, "`state`: " + path + ": cannot be resumed: "), message);
      BOOST_TEST(Holds(message, why), message);
      BOOST_TEST(test::ReadFile(path) == text);
    }
  };
  auto changed = [&](auto change) {
    json state = json::parse(good);
    change(state);
    return state.dump();
  };
  refuses("", "it is not JSON");
  refuses(good.substr(0, good.size() / 2), "it is not JSON");
  refuses(std::string(100'000, '['), "it is not JSON");
  refuses(std::string("\0\xff", 2), "it is not JSON");
  refuses("{\"format\": 1e999}", "it is not JSON");
  refuses("[]", "the state is no object");
  refuses("{}", "the state has no 'format'");
  refuses("{\"format\": 3}", "'format' of the state: expected 'spuna monitor state'");
  refuses(changed([](json& state) { state["format_version"] = 2; }),
          "expected format_version 1 but found 2; another version of spuna wrote it");
  refuses(changed([](json& state) { state["batches"] = -1; }),
          "'batches' of the state: expected a whole number of 0 or more");
  refuses(changed([](json& state) { state["batches"] = 2; }),
          "'history' of the state: expected 2 batches");
  refuses(changed([](json& state) { state["rows"] = 31; }),
          "expected 31 rows on a track but found 30");
  refuses(changed([](json& state) { state["evidence"] = 0; }), "'evidence' of the state");
  refuses(changed([](json& state) { state["evidence"] = nullptr; }), "'evidence' of the state");
  refuses(changed([](json& state) { state["tracks"] = json::array(); }), "tracks but found 0");
  refuses(changed([](json& state) { state["tracks"].push_back({}); }),
          "'tracks' of the state: expected a list of at most");
  refuses(changed([](json& state) { state["tracks"][0]["bags"][0]["bins"][0] = 2049; }),
          "expected bins below 2049, each once");
  refuses(changed([](json& state) {
            state["tracks"][0]["bags"][0]["bins"][1] = state["tracks"][0]["bags"][0]["bins"][0];
          }),
          "expected bins below 2049, each once");
  refuses(changed([](json& state) { state["tracks"][0]["bags"][0]["counts"][0] = 1e300; }),
          "'counts' of a bag");
  refuses(changed([](json& state) { state["tracks"][0]["bags"][0]["counts"].push_back(1); }),
          "expected as many as there are bins");
  refuses(changed([](json& state) { state["tracks"][0]["capitals"][0] = -1; }),
          "'capitals' of a track");
  refuses(changed([](json& state) { state["tracks"][0]["capitals"].push_back(1); }),
          "'capitals' of a track");
  refuses(changed([](json& state) { state["history"][0]["time"] = std::string(1000, 'x'); }),
          "'time' of a batch of the history: expected a short text");
  refuses(changed([](json& state) { state["history"][0]["share"] = 2; }),
          "'share' of a batch of the history");
  refuses(changed([](json& state) { state["history"][0]["batch"] = 7; }),
          "expected batches one after the other");
  test::WriteFile(path, good);
  Require(Run(example.Watch(batch, "state.json"), Threads(1)).status());
}

BOOST_AUTO_TEST_CASE(two_runs_can_not_share_a_state) {
  const MonitorExample example;
  const std::string batch = example.Batch("batch.parquet", 30, 70);
  const MonitorJob job = example.Watch(batch, "state.json");
  {
    const RunState other =
        Get(RunState::Open({StateBeside(*job.state), *job.state, "state"}, {}, false));
    BOOST_TEST(MessageOf(job) ==
               "`state`: " + *job.state + ": another run is writing this output; wait for its end");
  }
  // What a killed run left is no hindrance.
  std::filesystem::create_directory(StateBeside(*job.state));
  Require(Run(job, Threads(1)).status());
}

BOOST_AUTO_TEST_CASE(a_batch_without_valid_rows_is_an_error_and_changes_nothing) {
  const MonitorExample example;
  Matrix rows = RandomRows(3, kDimension, 80);
  std::fill(rows.values.begin(), rows.values.end(), NAN);
  test::WriteParquet(example.directory / "invalid.parquet", *test::EmbeddingTable(rows));
  for (const auto& [name, count] : {std::pair("invalid.parquet", "3"), {"empty.parquet", "0"}}) {
    BOOST_TEST_CONTEXT(name) {
      if (std::string(name) == "empty.parquet") example.Batch(name, 0, 81);
      MonitorJob job = example.Watch(example.directory / name, "state.json");
      job.metrics = example.directory / "metrics.txt";
      BOOST_TEST(MessageOf(job) == "`input`: " + job.input[0] + ": none of " + count +
                                       " rows has a valid embedding; there is nothing to watch, "
                                       "and the state stays as it was");
      BOOST_TEST(!std::filesystem::exists(*job.state));
      BOOST_TEST(!std::filesystem::exists(*job.metrics));
    }
  }
}

BOOST_AUTO_TEST_CASE(invalid_rows_are_counted_and_passed_over) {
  const MonitorExample example;
  Matrix rows = RandomRows(41, kDimension, 90);
  rows.row(0)[2] = NAN;
  rows.row(40)[0] = INFINITY;
  test::WriteParquet(example.directory / "some.parquet", *test::EmbeddingTable(rows));
  MonitorJob job = example.Watch(example.directory / "some.parquet", "some.json");
  const MonitorReport some = Get(Run(job, Threads(1)));
  BOOST_TEST(some.counts.in == 41);
  BOOST_TEST(some.counts.invalid == 2);
  BOOST_TEST(some.counts.kept + some.counts.dropped == 39);
  BOOST_TEST(some.rows_watched == 39U);
  Matrix valid{39, kDimension, {rows.row(1), rows.row(40)}};
  test::WriteParquet(example.directory / "valid.parquet", *test::EmbeddingTable(valid));
  const MonitorReport without =
      Get(Run(example.Watch(example.directory / "valid.parquet"), Threads(1)));
  BOOST_TEST(some.batch().evidence == without.batch().evidence);
  BOOST_TEST(some.batch().share.estimate == without.batch().share.estimate);
  job.options.invalid = InvalidRows::kError;
  BOOST_TEST(!Run(job, Threads(1)).ok());
}

BOOST_AUTO_TEST_CASE(one_row_is_a_batch) {
  const MonitorExample example;
  const MonitorReport report =
      Get(Run(example.Watch(example.Batch("one.parquet", 1, 95), "state.json"), Threads(1)));
  BOOST_TEST(report.rows_watched == 1U);
  BOOST_TEST(report.batch().share.low <= report.batch().share.high);
}

BOOST_AUTO_TEST_CASE(what_can_not_be_watched_is_said) {
  const MonitorExample example;
  const std::string batch = example.Batch("batch.parquet", 30, 100);
  example.Fit("paper.safetensors", 0, Recipe::kPaper);
  MonitorJob paper = example.Watch(batch);
  paper.model = example.directory / "paper.safetensors";
  BOOST_TEST(MessageOf(paper) ==
             "`model`: " + paper.model +
                 ": holds nothing to watch with, since it was fitted without cross-fitting; fit "
                 "with `recipe` robust or fast");
  for (const double level : {0.0, 1.0, -1.0, static_cast<double>(NAN)}) {
    MonitorJob job = example.Watch(batch);
    job.options.level = level;
    BOOST_TEST(Holds(MessageOf(job), "`level` must be more than 0 and less than 1, but is "));
  }
  MonitorJob job = example.Watch(batch, "batch.parquet");
  BOOST_TEST(Holds(MessageOf(job), "this is what `input` names too"));
  job = example.Watch(batch, "state.json");
  job.report = *job.state;
  BOOST_TEST(Holds(MessageOf(job), "names too"));
}

BOOST_AUTO_TEST_CASE(the_state_stays_where_another_output_fails) {
  const MonitorExample example;
  const std::string batch = example.Batch("batch.parquet", 30, 110);
  MonitorJob job = example.Watch(batch, "state.json");
  job.metrics = example.directory / "missing/metrics.txt";
  BOOST_TEST(Holds(MessageOf(job), "does not exist; create it first"));
  BOOST_TEST(!std::filesystem::exists(*job.state));
}

BOOST_AUTO_TEST_CASE(metrics_are_valid_open_metrics) {
  const MonitorExample example;
  MonitorJob job = example.Watch(example.Batch("batch.parquet", 30, 120));
  job.metrics = example.directory / "metrics.txt";
  Require(Run(job, Threads(1)).status());
  // The file is replaced by the next run.
  const MonitorReport report = Get(Run(job, Threads(1)));
  const std::string text = test::ReadFile(*job.metrics);
  BOOST_TEST(text.ends_with("\n# EOF\n"));
  std::istringstream lines(text);
  std::string line;
  std::string family;
  const std::regex type("# TYPE (spuna_monitor_[a-z_]+) gauge");
  const std::regex sample(
      "(spuna_monitor_[a-z_]+)(\\{decision=\"[a-z]+\"\\})? [0-9]+(\\.[0-9]+)?(e[+-][0-9]+)?");
  while (std::getline(lines, line) && line != "# EOF") {
    BOOST_TEST_CONTEXT(line) {
      std::smatch match;
      if (std::regex_match(line, match, type)) {
        family = match[1];
        BOOST_REQUIRE(std::getline(lines, line));
        BOOST_TEST(line.starts_with("# HELP " + family + " "));
        continue;
      }
      BOOST_REQUIRE(std::regex_match(line, match, sample));
      BOOST_TEST(match[1] == family);
    }
  }
  BOOST_TEST(!std::getline(lines, line));
  BOOST_TEST(Holds(text, "\nspuna_monitor_rows{decision=\"kept\"} " +
                             std::to_string(report.counts.kept) + "\n"));
  BOOST_TEST(Holds(text, "\nspuna_monitor_shift_found 0\n"));
  BOOST_TEST(Holds(text, "\nspuna_monitor_evidence_needed 20\n"));
  for (const char* name : {"share_shifted", "evidence", "p_value", "batches"}) {
    BOOST_TEST(Holds(text, "\nspuna_monitor_" + std::string(name) + " "), name);
  }
}

BOOST_AUTO_TEST_CASE(the_report_and_the_json_hold_what_they_should) {
  const MonitorExample example;
  MonitorJob job = example.Watch(example.Batch("batch.parquet", 30, 130), "state.json");
  job.report = example.directory / "report.html";
  const MonitorReport report = Get(Run(job, Threads(1)));
  const json said = ToJson(report);
  for (const char* key :
       {"batch", "time", "rows_in", "rows_kept", "rows_dropped", "rows_invalid", "rows_watched",
        "files", "decision", "share_shifted", "evidence", "evidence_needed", "p_value", "level",
        "shift_found", "model_hash", "seconds", "peak_memory_bytes"}) {
    BOOST_TEST(said.contains(key), key);
  }
  BOOST_TEST(said["share_shifted"].contains("low"));
  const json page = ToReportPage(report);
  for (const char* key :
       {"title", "summary", "facts", "history", "evidence_needed", "settings", "versions"}) {
    BOOST_TEST(page.contains(key), key);
  }
  BOOST_TEST(page["history"].size() == 1U);
  BOOST_TEST(Holds(test::ReadFile(*job.report), "\"evidence_needed\":20"));
}

BOOST_AUTO_TEST_CASE(the_history_is_cut_to_the_last_batches) {
  MonitorState state;
  state.model_hash = "abc";
  state.memory.num_batches = MonitorState::kMaxHistory + 3;
  state.memory.tracks.resize(1);
  state.memory.tracks[0].counts.assign(1, std::vector<std::uint64_t>(algorithms::kNumScoreBins));
  for (std::size_t i = 1; i <= state.memory.num_batches; ++i) {
    WatchedBatch batch;
    batch.batch = i;
    batch.time = "2026-01-31T12:00:00Z";
    state.history.push_back(batch);
  }
  const std::string text = SerializeState(state);
  BOOST_TEST(text.size() < 4'000'000U);
  const MonitorState parsed = Get(ParseState(text, "abc", 1));
  BOOST_TEST(parsed.history.size() == MonitorState::kMaxHistory);
  BOOST_TEST(parsed.history.front().batch == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
