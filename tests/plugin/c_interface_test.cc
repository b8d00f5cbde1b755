#include <arrow/api.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "plugin/c/spuna.h"
#include "tests/plugin/c_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/program.h"

namespace spuna {
namespace {

using test::Export;
using test::Import;
using test::kCallOptions;
using test::ModelHandle;

BOOST_FIXTURE_TEST_SUITE(c_interface, test::CExample)

BOOST_AUTO_TEST_CASE(it_says_its_version) {
  BOOST_TEST(std::string(spuna_version()) == SpunaVersion());
  BOOST_TEST(spuna_abi_version() == SPUNA_ABI_VERSION);
}

BOOST_AUTO_TEST_CASE(only_the_c_functions_are_exported) {
  const auto symbols = test::RunProgram("/usr/bin/nm", {"-D", "--defined-only", SPUNA_C_LIBRARY});
  std::istringstream lines(symbols.out);
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    const std::string name = line.substr(line.rfind(' ') + 1);
    BOOST_TEST(name.starts_with("spuna_"), name);
    ++count;
  }
  BOOST_TEST(count == 60);
}

BOOST_AUTO_TEST_CASE(a_fitted_model_is_that_of_the_command) {
  const ModelHandle model = FitModel();
  BOOST_TEST(spuna_model_save(model.get(), (directory / "by_c").c_str(), 0, &error) == SPUNA_OK);
  test::Require(Run(Fit("by_command"), test::Threads(1)).status());
  BOOST_TEST(test::ReadFile(directory / "by_c") == test::ReadFile(directory / "by_command"));

  BOOST_TEST(spuna_model_save(model.get(), (directory / "by_c").c_str(), 0, &error) != SPUNA_OK);
  BOOST_TEST(std::string(error.message).find("exists") != std::string::npos, error.message);
  BOOST_TEST(spuna_model_save(model.get(), (directory / "by_c").c_str(), 1, &error) == SPUNA_OK);

  char* bytes = nullptr;
  std::size_t size = 0;
  BOOST_TEST(spuna_model_serialize(model.get(), &bytes, &size, &error) == SPUNA_OK);
  BOOST_TEST((std::string(bytes, size) == test::ReadFile(directory / "by_command")));
  spuna_model* parsed = nullptr;
  BOOST_TEST(spuna_model_parse(bytes, size, &parsed, &error) == SPUNA_OK);
  spuna_model_free(parsed);
  BOOST_TEST(spuna_model_parse(bytes, size / 2, &parsed, &error) == SPUNA_INVALID);
  spuna_string_free(bytes);

  char* described = nullptr;
  BOOST_TEST(spuna_model_describe(model.get(), &described, &error) == SPUNA_OK);
  BOOST_TEST(std::string(described).find("\"rows_pool\":300") != std::string::npos);
  spuna_string_free(described);
}

BOOST_AUTO_TEST_CASE(the_same_batches_give_the_bits_of_the_command) {
  const auto expected = CleanedByTheCommand();
  const ModelHandle model = FitModel();
  ArrowArrayStream input = Export(*pool_table);
  ArrowArrayStream scored;
  BOOST_REQUIRE(spuna_score_stream(model.get(), &input, nullptr, &scored, &error) == SPUNA_OK);
  BOOST_TEST(Import(&scored)->Equals(*expected));

  ArrowArrayStream trusted_stream = Export(*trusted_table);
  ArrowArrayStream pool_stream = Export(*pool_table);
  ArrowArrayStream cleaned;
  spuna_model* fitted = nullptr;
  BOOST_REQUIRE(spuna_clean_stream(&trusted_stream, &pool_stream, kCallOptions, nullptr, &cleaned,
                                   &fitted, &error) == SPUNA_OK);
  // The stream holds on to the model.
  spuna_model_free(fitted);
  BOOST_TEST(Import(&cleaned)->Equals(*expected));
}

BOOST_AUTO_TEST_CASE(dropping_leaves_the_kept_rows) {
  const ModelHandle model = FitModel();
  ArrowArrayStream input = Export(*pool_table, 7);
  ArrowArrayStream scored;
  BOOST_REQUIRE(spuna_score_stream(model.get(), &input, R"({"drop": true, "prefix": "my_"})",
                                   &scored, &error) == SPUNA_OK);
  const auto kept = Import(&scored);
  BOOST_TEST((kept->num_rows() > 50 && kept->num_rows() < 250));
  for (const float score : test::Scores(*kept, "my_score")) BOOST_TEST(score < 0.5F);
}

BOOST_AUTO_TEST_CASE(a_stream_outlives_its_model_and_may_be_left_unread) {
  ArrowArrayStream scored;
  {
    const ModelHandle model = FitModel();
    ArrowArrayStream input = Export(*pool_table);
    BOOST_REQUIRE(spuna_score_stream(model.get(), &input, nullptr, &scored, &error) == SPUNA_OK);
  }
  BOOST_TEST(Import(&scored)->num_rows() == 300);
  const ModelHandle model = FitModel();
  ArrowArrayStream input = Export(*pool_table);
  BOOST_REQUIRE(spuna_score_stream(model.get(), &input, nullptr, &scored, &error) == SPUNA_OK);
  scored.release(&scored);
}

BOOST_AUTO_TEST_CASE(a_clean_can_be_checked_before_it_runs) {
  ArrowArrayStream rows = Export(*CleanedByTheCommand());
  BOOST_TEST(spuna_check_clean(&rows, nullptr, &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) ==
             "the stream of pool rows: there is a column 'spuna_score' already; choose other names "
             "with `prefix`, or replace it with `replace=true`");
  BOOST_TEST(rows.release == nullptr);
  rows = Export(*CleanedByTheCommand());
  BOOST_TEST(spuna_check_clean(&rows, R"({"replace": true})", &error) == SPUNA_OK);
  rows = Export(*CleanedByTheCommand());
  BOOST_TEST(spuna_check_clean(&rows, R"({"columns": ["idd"]})", &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message).find("there is no column 'idd'; did you mean 'id'?") !=
             std::string::npos);
  BOOST_TEST(spuna_check_score(R"({"columns": []})", &error) == SPUNA_INVALID);
  BOOST_TEST(
      std::string(error.message) ==
      "`columns`: expected one or more names of columns but found none; leave it out to write "
      "all");
  BOOST_TEST(spuna_check_clean(nullptr, R"({"drop": "yes"})", &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) == "`drop`: expected true or false but found \"yes\"");
  BOOST_TEST(spuna_check_clean(nullptr, R"({"drop": true})", &error) == SPUNA_OK);
  BOOST_TEST(spuna_check_score(R"({"alpha": 1})", &error) == SPUNA_INVALID);
  BOOST_TEST(spuna_check_clean(nullptr, R"({"batch_size": 0})", &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) ==
             "`batch_size` must be between 1 and 1000000000, but is 0");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_said_and_the_streams_are_released) {
  spuna_model* model = nullptr;
  auto refuse = [&](const char* options) {
    ArrowArrayStream trusted_stream = Export(*trusted_table);
    ArrowArrayStream pool_stream = Export(*pool_table);
    const spuna_code code =
        spuna_fit(&trusted_stream, &pool_stream, options, nullptr, &model, &error);
    BOOST_TEST((trusted_stream.release == nullptr && pool_stream.release == nullptr));
    BOOST_TEST(code == SPUNA_INVALID);
    return std::string(error.message);
  };
  BOOST_TEST(
      refuse("{\"alpa\": 1}") ==
      "there is no option `alpa`; did you mean `alpha`? the options are all_files, alpha, "
      "batch_size, "
      "beta, calibration, "
      "calibration_rows, discriminant, embedding, epochs, epsilon, far, far_level, fit_rows, "
      "fit_sample, "
      "fold_by, force, hidden, invalid, k, keep_banks, keep_share, learning_rate, max_bad_files, "
      "max_clean_loss, "
      "max_false_drops, metric, neighbors, on_bad_file, on_stop, recipe, reviewed, seed, seeds, "
      "sides, stratify, "
      "targets, threads, threshold");
  BOOST_TEST(refuse("{\"k\": \"ten\"}") == "`k`: expected a whole number but found \"ten\"");
  BOOST_TEST(refuse("{\"on_stop\": \"go\"}") ==
             "`on_stop`: expected one of 'keep', 'rollback' but found \"go\"");
  BOOST_TEST(refuse("{\"threads\": 0}") == "`threads` must be between 1 and 64, but is 0");
  BOOST_TEST(refuse("[]") == "options: expected a JSON object");
  BOOST_TEST(refuse("{").starts_with("options: expected a JSON object: "));
  BOOST_TEST(refuse("{\"embedding\": \"vector\"}")
                 .starts_with("the stream of trusted rows: there is no column 'vector'"));

  ArrowArrayStream pool_stream = Export(*pool_table);
  BOOST_TEST(spuna_fit(nullptr, &pool_stream, nullptr, nullptr, &model, &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) ==
             "`trusted`: expected a stream but found NULL or a released one");
  BOOST_TEST(pool_stream.release == nullptr);
  BOOST_TEST(spuna_model_load((directory / "none").c_str(), &model, nullptr) == SPUNA_IO);
  BOOST_TEST(spuna_model_load(nullptr, &model, &error) == SPUNA_INVALID);
  BOOST_TEST(std::string(error.message) == "`path` must not be NULL");
}

BOOST_AUTO_TEST_CASE(a_long_message_is_cut_between_characters) {
  std::string path = directory / "";
  while (path.size() < 6000) path += "ä";
  spuna_model* model = nullptr;
  BOOST_TEST(spuna_model_load(path.c_str(), &model, &error) != SPUNA_OK);
  const std::string message = error.message;
  BOOST_TEST(message.size() >= 4090U);
  BOOST_TEST(message.size() < 4096U);
  BOOST_TEST((message.back() == "ä"[1]));
}

BOOST_AUTO_TEST_CASE(callbacks_are_told_and_can_stop) {
  struct Listener {
    std::atomic<bool> stop{false};
    std::vector<std::string> stages;
  } listener;
  spuna_callbacks callbacks{};
  callbacks.context = &listener;
  callbacks.should_stop = [](void* context) -> int {
    return static_cast<Listener*>(context)->stop;
  };
  callbacks.on_progress = [](void* context, const char* stage, double) {
    auto& to = *static_cast<Listener*>(context);
    if (to.stages.empty() || to.stages.back() != stage) to.stages.emplace_back(stage);
    if (std::string(stage) == "distill") to.stop = true;
  };
  ArrowArrayStream trusted_stream = Export(*trusted_table);
  ArrowArrayStream pool_stream = Export(*pool_table);
  spuna_model* model = nullptr;
  BOOST_TEST(spuna_fit(&trusted_stream, &pool_stream, R"({"recipe": "paper", "epochs": 1000000})",
                       &callbacks, &model, &error) == SPUNA_CANCELLED);
  BOOST_TEST(std::string(error.message) == "interrupted");
  BOOST_TEST((listener.stages.front() == "read" && listener.stages.back() == "distill"));
}

BOOST_AUTO_TEST_CASE(one_model_serves_several_threads) {
  const ModelHandle model = FitModel();
  const auto expected = CleanedByTheCommand();
  std::atomic<int> equal{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      ArrowArrayStream input = Export(*pool_table);
      ArrowArrayStream scored;
      spuna_error local{};
      if (spuna_score_stream(model.get(), &input, nullptr, &scored, &local) != SPUNA_OK) return;
      equal += Import(&scored)->Equals(*expected) ? 1 : 0;
    });
  }
  threads.clear();
  BOOST_TEST(equal == 4);
}

BOOST_AUTO_TEST_CASE(the_example_in_c_keeps_what_the_command_keeps) {
  const std::filesystem::path sample =
      std::filesystem::path(SPUNA_SOURCE_DIR) / "examples/quickstart";
  const auto example = test::RunProgram(
      SPUNA_C_EXAMPLE,
      {sample / "trusted.parquet", sample / "pool.parquet", directory / "example.safetensors"});
  BOOST_REQUIRE_MESSAGE(example.exit_code == 0, example.err);
  CleanJob job;
  job.fit.trusted = {sample / "trusted.parquet"};
  job.fit.pool = {sample / "pool.parquet"};
  job.fit.model = directory / "command.safetensors";
  job.output = directory / "cleaned.parquet";
  const auto report = test::Get(Run(job, test::Threads(2)));
  BOOST_TEST(example.out ==
             "keep " + std::to_string(report.score->counts.kept) + " of 1500 rows\n");
  BOOST_TEST((test::ReadFile(directory / "example.safetensors") == test::ReadFile(*job.fit.model)));
  const auto missing = test::RunProgram(SPUNA_C_EXAMPLE, {"/nowhere", "/nowhere", "/nowhere"});
  BOOST_TEST(missing.exit_code == 1);
  BOOST_TEST(missing.err.starts_with("clean_in_c: "), missing.err);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
