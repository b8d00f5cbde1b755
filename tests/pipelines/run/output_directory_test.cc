#include "pipelines/run/output_directory.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/parquet_files.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Get;
using test::Require;
using test::TempDirectory;

const json kConfiguration = {{"prefix", "a_"}};
const json kOther = {{"prefix", "b_"}};

arrow::Result<OutputDirectory> Open(const TempDirectory& directory,
                                    const json& configuration = kConfiguration,
                                    bool overwrite = false) {
  return OutputDirectory::Open({directory / "out/", overwrite, "out"}, configuration);
}

void WriteOne(OutputDirectory& output, const std::string& name, const std::string& bytes) {
  Require(output.Begin());
  test::WriteFile(output.Staging().string(), bytes);
  Require(output.Commit(name));
}

void Finish(const TempDirectory& directory, const json& configuration = kConfiguration) {
  OutputDirectory output = Get(Open(directory, configuration));
  WriteOne(output, "a/x", "bytes");
  Require(output.Finish({{"configuration", configuration}}));
}

BOOST_AUTO_TEST_SUITE(output_directory)

BOOST_AUTO_TEST_CASE(files_appear_one_by_one_and_the_mark_of_success_last) {
  const TempDirectory directory;
  OutputDirectory output = Get(Open(directory));
  WriteOne(output, "a/x", "bytes");
  BOOST_TEST(test::ReadFile(directory / "out/a/x") == "bytes");
  BOOST_TEST(output.Holds("a/x", 5));
  BOOST_TEST(!output.Holds("a/x", 4));
  BOOST_TEST(!output.Holds("a/y", 5));
  BOOST_TEST(!fs::exists(directory / "out/_SUCCESS"));
  Require(output.Finish({{"configuration", kConfiguration}}));
  const std::vector<std::string> expected = {"out", "out/_SUCCESS", "out/a", "out/a/x",
                                             "out/spuna_manifest.json"};
  BOOST_TEST(directory.List() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_run_that_stopped_is_gone_on_with) {
  const TempDirectory directory;
  {
    OutputDirectory output = Get(Open(directory));
    WriteOne(output, "x", "1");
  }
  OutputDirectory output = Get(Open(directory));
  Require(output.Begin());
  BOOST_TEST(output.Holds("x", 1));
}

BOOST_AUTO_TEST_CASE(a_finished_output_is_told) {
  const TempDirectory directory;
  Finish(directory);
  BOOST_TEST(Get(Open(directory)).finished().has_value());
  // A kill may have come before the last words.
  fs::remove(directory / "out/_SUCCESS");
  fs::create_directory(directory / "out/.spuna-ended");
  BOOST_TEST(Get(Open(directory)).finished().has_value());
  BOOST_TEST(fs::exists(directory / "out/_SUCCESS"));
  BOOST_TEST(!fs::exists(directory / "out/.spuna-ended"));
}

BOOST_AUTO_TEST_CASE(another_configuration_is_refused_or_replaces_the_output) {
  const TempDirectory directory;
  Finish(directory);
  BOOST_TEST(Open(directory, kOther).status().message() ==
             "`out`: " + (directory / "out") +
                 ": holds the output of another configuration: `prefix` was \"a_\" and is \"b_\" "
                 "now; choose another name or add `--overwrite`");
  {
    // Until the first file is written the old output stays.
    OutputDirectory output = Get(Open(directory, kOther, true));
    BOOST_TEST(fs::exists(directory / "out/a/x"));
    WriteOne(output, "y", "new");
    BOOST_TEST(!fs::exists(directory / "out/a"));
  }
  // The same command goes on, although it says to replace.
  OutputDirectory output = Get(Open(directory, kOther, true));
  Require(output.Begin());
  BOOST_TEST(output.Holds("y", 3));
  Require(output.Finish({{"configuration", kOther}}));
}

BOOST_AUTO_TEST_CASE(a_directory_of_others_is_not_touched) {
  const TempDirectory directory;
  fs::create_directory(directory / "out");
  test::WriteFile(directory / "out/precious", "old");
  for (const bool overwrite : {false, true}) {
    BOOST_TEST(Open(directory, kConfiguration, overwrite).status().message() ==
               "`out`: " + (directory / "out") +
                   ": is a directory that spuna did not make (it has no spuna_manifest.json) and "
                   "will not be touched; choose another name");
  }
  BOOST_TEST(directory.List().size() == 2U);
}

BOOST_AUTO_TEST_CASE(what_can_not_be_a_directory_is_found_out_at_once) {
  const TempDirectory directory;
  test::WriteFile(directory / "out", "");
  BOOST_TEST(Open(directory, kConfiguration, true)
                 .status()
                 .message()
                 .ends_with("is a file, but the output is a directory"));
  BOOST_TEST(OutputDirectory::Open({directory / "no/out", false, "out"}, kConfiguration)
                 .status()
                 .message()
                 .ends_with("does not exist; create it first"));
}

BOOST_AUTO_TEST_CASE(a_directory_made_for_nothing_goes_again) {
  const TempDirectory directory;
  {
    const OutputDirectory output = Get(Open(directory));
  }
  BOOST_TEST(directory.List().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
