#include "tests/support/program.h"

#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/random_rows.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using test::Matrix;
using test::ProgramResult;
using test::RunSpuna;

// Inputs in a directory, and commands over them.
struct Example : test::FilesExample {
  // The arguments of a quick `clean`, then others.
  std::vector<std::string> Clean(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"clean",
                                          "--trusted",
                                          directory / "trusted.parquet",
                                          "--pool",
                                          directory / "pool.parquet",
                                          "--out",
                                          directory / "out.parquet",
                                          "--recipe",
                                          "paper",
                                          "--hidden",
                                          "16",
                                          "--epochs",
                                          "5",
                                          "--batch-size",
                                          "16"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

// Checks that a run fails with this code and a message that holds the text, prints nothing to
// standard output, and leaves the directory as it was.
void CheckFails(const Example& example, const std::vector<std::string>& arguments, int exit_code,
                const std::string& text) {
  const std::vector<std::string> before = example.directory.List();
  const ProgramResult result = RunSpuna(arguments);
  BOOST_TEST_CONTEXT(result.err) {
    BOOST_TEST(result.exit_code == exit_code);
    BOOST_TEST(result.err.find("spuna: error: ") != std::string::npos);
    BOOST_TEST(result.err.find(text) != std::string::npos);
    BOOST_TEST(result.out.empty());
    BOOST_TEST(example.directory.List() == before, boost::test_tools::per_element());
  }
}

// `clean` with another value for one of its options.
std::vector<std::string> Replace(std::vector<std::string> arguments, const std::string& option,
                                 const std::string& value) {
  *(std::ranges::find(arguments, option) + 1) = value;
  return arguments;
}

BOOST_AUTO_TEST_SUITE(program)

BOOST_AUTO_TEST_CASE(cleans_scores_evaluates_and_inspects) {
  const Example example;
  const std::string model = example.directory / "m.safetensors";
  ProgramResult result = RunSpuna(example.Clean({"--model", model, "--alpha", "10", "--k", "20"}));
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.find("rows in") != std::string::npos);
  BOOST_TEST(result.out.find("written to") != std::string::npos);
  BOOST_TEST(result.err.find("spuna: distilling the classifier\n") != std::string::npos);

  result = RunSpuna(
      {"evaluate", "--input", example.directory / "out.parquet", "--truth", "shifted", "--json"});
  BOOST_TEST(result.exit_code == 0);
  const auto evaluation = nlohmann::json::parse(result.out);
  BOOST_TEST(evaluation["auroc"].get<double>() > 0.9);
  BOOST_TEST(evaluation["rows"] == 300);
  BOOST_TEST(evaluation["rows_skipped"] == 0);
  BOOST_TEST(evaluation.contains("aupr"));
  BOOST_TEST(evaluation.contains("fpr95"));

  // Scoring the pool with the model gives what cleaning gave.
  result = RunSpuna({"score", "--model", model, "--input", example.directory / "pool.parquet",
                     "--out", example.directory / "scored.parquet", "--json", "--quiet"});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.err.empty());
  BOOST_TEST(nlohmann::json::parse(result.out)["rows_in"] == 300);
  BOOST_TEST(test::ReadFile(example.directory / "scored.parquet") ==
             test::ReadFile(example.directory / "out.parquet"));

  result = RunSpuna({"inspect", model});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.find("options.alpha") != std::string::npos);
  const auto described = nlohmann::json::parse(RunSpuna({"inspect", model, "--json"}).out);
  BOOST_TEST(described["options"]["k"] == 20);
  BOOST_TEST(described["dimension"] == 6);
}

BOOST_AUTO_TEST_CASE(fit_prints_one_object_with_what_was_found) {
  const Example example;
  const ProgramResult result =
      RunSpuna({"fit", "--trusted", example.directory / "trusted.parquet", "--pool",
                example.directory / "pool.parquet", "--model", example.directory / "m.safetensors",
                "--labels", example.directory / "l.parquet", "--epochs", "1", "--json"});
  BOOST_TEST_REQUIRE(result.exit_code == 0);
  const auto json = nlohmann::json::parse(result.out);
  for (const char* key : {"rows_trusted", "rows_pool", "rows_invalid", "rows_trusted_in_pool",
                          "dimension", "alpha", "beta", "k", "rounds", "entropy", "stopped_by",
                          "labeled", "seconds", "peak_memory_bytes", "verdict", "warnings"}) {
    BOOST_TEST(json.contains(key), key);
  }
  for (const char* key :
       {"read", "seed", "expand", "entropy", "neighbor_score", "distill", "write", "total"}) {
    BOOST_TEST(json["seconds"].contains(key), key);
  }
  BOOST_TEST(json["beta"] == 32);
  BOOST_TEST(json["entropy"].size() == json["rounds"].get<std::size_t>() + 1);
  BOOST_TEST((json["stopped_by"] == "entropy" || json["stopped_by"] == "rounds"));
  // What was chosen and why.
  BOOST_TEST(json["recipe"] == "robust");
  BOOST_TEST(json["chosen"]["metric"] == "whitened");
  BOOST_TEST(json["chosen"]["alpha"] == 7);
  BOOST_TEST(json["chosen"]["epochs"] == 1);
  BOOST_TEST(json["chosen"]["rule"].get<std::string>().find("pool rows / 40") != std::string::npos);
  BOOST_TEST(json["shift_found"] == true);
  BOOST_TEST(json["seconds"].contains("cross_fit"));
  const double share = json["share_shifted"]["estimate"];
  BOOST_TEST((share > 0.3 && share < 0.7));
}

BOOST_AUTO_TEST_CASE(help_and_version_are_printed) {
  ProgramResult result = RunSpuna({"--version"});
  BOOST_TEST(result.exit_code == 0);
  for (const char* name : {"spuna ", "arrow ", "mlpack ", "armadillo ", "openblas "}) {
    BOOST_TEST(result.out.find(name) != std::string::npos);
  }
  BOOST_TEST(RunSpuna({"--help"}).out.find("evaluate") != std::string::npos);
  result = RunSpuna({"clean", "--help"});
  BOOST_TEST(result.exit_code == 0);
  for (const char* group : {"Inputs:", "Outputs:", "Method:", "Columns:", "Running:"}) {
    BOOST_TEST(result.out.find(group) != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(wrong_options_exit_with_2) {
  const Example example;
  CheckFails(example, {}, 2, "a command is required; the commands are fit, score");
  CheckFails(example, {"tidy"}, 2, "there is no command 'tidy'; the commands are fit, score");
  CheckFails(example, {"clean"}, 2, "`--trusted` is required; see `spuna clean --help`");
  CheckFails(example, {"claen"}, 2, "there is no command 'claen'; did you mean `clean`?");
  CheckFails(example, example.Clean({"--alhpa", "3"}), 2, "--alhpa; did you mean `--alpha`?");
  CheckFails(example, example.Clean({"--alpha", "many"}), 2,
             "expected a whole number but found 'many'");
  CheckFails(example, example.Clean({"--alpha", ""}), 2, "expected a whole number but found ''");
  CheckFails(example, example.Clean({"--alpha", "99999999999999999999"}), 2, "out of range");
  CheckFails(example, example.Clean({"--k", "0"}), 2,
             "`k` must be between 1 and 1000000000, but is 0");
  CheckFails(example, example.Clean({"--alpha", "-1"}), 2, "`alpha` must be between 1");
  CheckFails(example, example.Clean({"--learning-rate", "nan"}), 2, "`learning-rate`");
  CheckFails(example, Replace(example.Clean(), "--recipe", "soup"), 2,
             "--recipe: soup not in {fast,paper,robust}");
  CheckFails(example, example.Clean({"--neighbors", "magic"}), 2, "magic");
  CheckFails(example, example.Clean({"--on-stop", "go"}), 2, "go");
  CheckFails(example, example.Clean({"--invalid", "maybe"}), 2, "maybe");
  CheckFails(example, example.Clean({"--threads", "0"}), 2, "`threads` must be between 1 and 64");
  CheckFails(example, example.Clean({"--seed", "-1"}), 2,
             "expected a whole number of 0 or more but found '-1'");
  CheckFails(example, example.Clean({"--seed", "18446744073709551616"}), 2, "out of range");
  CheckFails(example, example.Clean({"--keep-banks"}), 2, "`keep-banks` needs a `model`");
  CheckFails(example, example.Clean({"--prefix", "--quiet"}), 2,
             "expected a value but found the option --quiet");
  CheckFails(example, example.Clean({"--epochs", "3"}), 2, "--epochs");  // given twice
  CheckFails(example, example.Clean({"--drop=maybe"}), 2, "--drop");
  auto by_neighbors = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"score", "--model", "m", "--input", "x", "--out", "y", "--by", "neighbors"});
    return more;
  };
  CheckFails(example, by_neighbors({"--drop"}), 2, "`drop` needs the classifier's score");
  CheckFails(example, by_neighbors({"--max-clean-loss", "0.1"}), 2,
             "`max-clean-loss` needs the classifier's score");
}

BOOST_AUTO_TEST_CASE(bad_inputs_exit_with_1_and_leave_nothing) {
  const Example example;
  const auto clean = example.Clean();
  const std::string bad = example.directory / "bad.parquet";
  auto with_pool = [&](const arrow::Table& table) {
    test::WriteParquet(bad, table);
    return Replace(clean, "--pool", bad);
  };
  const auto table = test::EmbeddingTable(example.pool);
  auto with_embedding = [&](const std::shared_ptr<arrow::Array>& array) {
    return table
        ->SetColumn(1, arrow::field("embedding", array->type()),
                    std::make_shared<arrow::ChunkedArray>(array))
        .ValueOrDie();
  };

  CheckFails(example, Replace(clean, "--pool", example.directory / "none.parquet"), 5,
             "none.parquet: No such file or directory");
  test::WriteFile(bad, "id,embedding\n1,2\n");
  CheckFails(example, Replace(clean, "--pool", bad), 1, bad + ": ");
  const std::string sound = test::ReadFile(example.directory / "pool.parquet");
  test::WriteFile(bad, sound.substr(0, sound.size() / 2));
  CheckFails(example, Replace(clean, "--pool", bad), 1, bad + ": ");
  CheckFails(example, with_pool(*table->RemoveColumn(1).ValueOrDie()), 1,
             "there is no embedding column");
  CheckFails(example, with_pool(*table->Slice(0, 0)), 1, "there are no rows");
  CheckFails(example, Replace(with_pool(*table->Slice(0, 0)), "--trusted", bad), 1,
             "`trusted`: expected rows with embeddings");
  CheckFails(example, with_pool(*table->Slice(0, 59)), 1,
             "`alpha` is 30 and the pool has 59 valid rows");
  CheckFails(example,
             with_pool(*with_embedding(
                 test::EmbeddingArray(test::RandomRows(300, 5, 1), test::FixedSizeFloats(5)))),
             1, "expected dimension 6, that of column 'embedding' of the trusted rows");
  std::vector<std::size_t> all_rows;
  for (std::size_t i = 0; i < 300; ++i) all_rows.push_back(i);
  CheckFails(example,
             with_pool(*with_embedding(
                 test::EmbeddingArray(example.pool, test::FixedSizeFloats(6), all_rows))),
             1, "all 300 are null or hold non-finite values");

  arrow::ListBuilder lists(arrow::default_memory_pool(), std::make_shared<arrow::FloatBuilder>());
  for (int i = 0; i < 300; ++i) {
    test::Require(lists.Append());
    const std::vector<float> values(i == 41 ? 5 : 6, 1.0F);
    test::Require(static_cast<arrow::FloatBuilder*>(lists.value_builder())->AppendValues(values));
  }
  CheckFails(example, with_pool(*with_embedding(lists.Finish().ValueOrDie())), 1,
             "column 'embedding' of " + bad + ": expected dimension 6 but found 5 at row 41");

  const Matrix same{300, 6, std::vector<float>(1800, 0.25F)};
  test::WriteParquet(bad, *test::EmbeddingTable(same));
  CheckFails(example, Replace(Replace(clean, "--pool", bad), "--trusted", bad), 1, "are identical");
}

BOOST_AUTO_TEST_CASE(bad_outputs_exit_with_1_and_leave_what_was_there) {
  const Example example;
  const auto clean = example.Clean();
  test::WriteFile(example.directory / "there.parquet", "precious");
  const std::string pool_before = test::ReadFile(example.directory / "pool.parquet");
  CheckFails(example, Replace(clean, "--out", example.directory / "there.parquet"), 1,
             "exists already; choose another name or add `--overwrite`");
  CheckFails(example, Replace(clean, "--out", example.directory / "pool.parquet"), 1,
             "this is what `pool` names too; choose another name");
  CheckFails(example,
             Replace(example.Clean({"--overwrite"}), "--out", example.directory / "pool.parquet"),
             1, "names too; choose another name");
  CheckFails(example, example.Clean({"--model", example.directory / "out.parquet"}), 1,
             "names too; choose another name");
  CheckFails(example, Replace(clean, "--out", example.directory / "none/out.parquet"), 1,
             "does not exist; create it first");
  CheckFails(example, Replace(clean, "--out", "/proc/out.parquet"), 1, "can't be written");
  BOOST_TEST(test::ReadFile(example.directory / "there.parquet") == "precious");
  BOOST_TEST(test::ReadFile(example.directory / "pool.parquet") == pool_before);

  const ProgramResult replaced = RunSpuna(
      Replace(example.Clean({"--overwrite"}), "--out", example.directory / "there.parquet"));
  BOOST_TEST(replaced.exit_code == 0);
  BOOST_TEST(test::ReadFile(example.directory / "there.parquet") != "precious");
}

BOOST_AUTO_TEST_CASE(a_full_disk_exits_with_1_and_leaves_nothing) {
  const Example example;
  const std::vector<std::string> before = example.directory.List();
  // Room for the messages, but for neither the model nor the rows.
  for (const char* output : {"--model", "--labels"}) {
    test::ProgramSettings settings;
    settings.max_file_bytes = 2000;
    const ProgramResult result =
        RunSpuna(example.Clean({output, example.directory / "more"}), settings);
    BOOST_TEST(result.exit_code == 1);
    BOOST_TEST(result.err.find("can't be written: ") != std::string::npos);
    BOOST_TEST(result.err.find("File too large") != std::string::npos);
    BOOST_TEST(example.directory.List() == before, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_model_that_does_not_fit_is_refused) {
  const Example example;
  const std::string model = example.directory / "m.safetensors";
  BOOST_TEST_REQUIRE(RunSpuna(example.Clean({"--model", model})).exit_code == 0);
  const std::string other = example.directory / "other.parquet";
  test::WriteParquet(other, *test::EmbeddingTable(test::RandomRows(10, 7, 1)));
  const std::string out = example.directory / "scored.parquet";
  CheckFails(example, {"score", "--model", model, "--input", other, "--out", out}, 1,
             "column 'embedding' of " + other + ": expected dimension 6 but found 7 at row 0");
  const std::string bytes = test::ReadFile(model);
  const std::string pool = example.directory / "pool.parquet";
  for (const std::string& damaged :
       {std::string(), bytes.substr(0, 100), bytes.substr(0, bytes.size() - 1), bytes + "x",
        std::string(64, '\xff')}) {
    test::WriteFile(model, damaged);
    CheckFails(example, {"score", "--model", model, "--input", pool, "--out", out}, 1,
               "can't be used");
    CheckFails(example, {"inspect", model}, 1, "can't be used");
  }
  CheckFails(example, {"inspect", example.directory / "none"}, 1, "none");
  CheckFails(example, {"inspect", example.directory.path().string()}, 1, "");
}

BOOST_AUTO_TEST_CASE(the_configuration_file_holds_the_same_names) {
  const Example example;
  const std::string config = example.directory / "spuna.toml";
  test::WriteFile(config,
                  "# everything but the output\n"
                  "trusted = \"" +
                      (example.directory / "trusted.parquet") +
                      "\"\n"
                      "pool = [\"" +
                      (example.directory / "pool.parquet") +
                      "\"]\n"
                      "k = 7\nalpha = 5\nepochs = 1\nhidden = 8\nlearning-rate = 0.01\n"
                      "on-stop = \"rollback\"\njson = true\nquiet = true\n"
                      "truth = \"shifted\"\n");
  const std::string model = example.directory / "m.safetensors";
  const ProgramResult result =
      RunSpuna({"fit", "--config", config, "--model", model, "--alpha", "6"});
  BOOST_TEST_CONTEXT(result.err) { BOOST_TEST_REQUIRE(result.exit_code == 0); }
  BOOST_TEST(result.err.empty());
  const auto json = nlohmann::json::parse(result.out);
  BOOST_TEST(json["k"] == 7);
  BOOST_TEST(json["alpha"] == 6);  // the command line wins
  const auto described = nlohmann::json::parse(RunSpuna({"inspect", model, "--json"}).out);
  BOOST_TEST(described["options"]["learning-rate"] == 0.01);
  BOOST_TEST(described["options"]["on-stop"] == "rollback");

  auto fails = [&](const std::string& text, const std::string& message) {
    test::WriteFile(config, text);
    CheckFails(example, {"fit", "--config", config, "--model", model + "2"}, 2, message);
  };
  fails("keep-banks = \"maybe\"\n", config + ":1: ");
  fails("k = 7\nalhpa = 8\n", config + ":2: there is no option 'alhpa'; did you mean `alpha`?");
  fails("k = \n", config + ":1: ");
  fails("[fit]\nk = 3\n",
        config + ":1: 'fit' must be a text, a number, true, false or a list of them");
  fails("neighbors = \"magic\"\n", config + ":1: ");
  fails("k = \"many\"\n", config + ":1: ");
  CheckFails(example, {"fit", "--config", example.directory / "none.toml"}, 2, "none.toml");
}

BOOST_AUTO_TEST_CASE(ctrl_c_leaves_nothing_and_exits_with_130) {
  const Example example;
  const std::vector<std::string> before = example.directory.List();
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    for (const char* stage :
         {"reading embeddings", "expanding labels", "distilling the classifier"}) {
      test::ProgramSettings settings;
      settings.signal = signal_number;
      settings.signal_after = stage;
      // Far more epochs than there is time for.
      const ProgramResult result = RunSpuna(
          Replace(example.Clean({"--model", example.directory / "m"}), "--epochs", "1000000"),
          settings);
      BOOST_TEST(result.exit_code == 130);
      BOOST_TEST(result.err.find("spuna: interrupted; the same command resumes where it was") !=
                 std::string::npos);
      BOOST_TEST(example.directory.List() == before, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(what_the_caller_ignores_stays_ignored) {
  // As under nohup: the hang-up that follows must not end the run.
  const Example example;
  test::ProgramSettings settings;
  settings.ignored_signal = SIGHUP;
  settings.signal = SIGHUP;
  settings.signal_after = "distilling the classifier";
  const ProgramResult result = RunSpuna(example.Clean(), settings);
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(fs::exists(example.directory / "out.parquet"));
}

BOOST_AUTO_TEST_CASE(leakage_and_invalid_rows_are_told) {
  Example example;
  std::copy_n(example.trusted.row(0), 6, example.pool.row(0));
  example.pool.row(1)[0] = std::numeric_limits<float>::infinity();
  test::WriteParquet(example.directory / "pool.parquet", *test::EmbeddingTable(example.pool));
  const ProgramResult result = RunSpuna(example.Clean());
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.find("1 trusted rows are also in the pool") != std::string::npos);
  BOOST_TEST(result.out.find("0 trusted, 1 pool: null or non-finite") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
