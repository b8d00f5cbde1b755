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

void Finish(const TempDirectory& directory, const json& configuration = kConfiguration,
            const std::string& bytes = "bytes") {
  OutputDirectory output = Get(Open(directory, configuration));
  WriteOne(output, "a/x", bytes);
  Require(output.Finish({{"wrote", bytes}}));
}

BOOST_AUTO_TEST_SUITE(output_directory)

BOOST_AUTO_TEST_CASE(files_appear_one_by_one_and_the_mark_of_success_last) {
  const TempDirectory directory;
  OutputDirectory output = Get(Open(directory));
  WriteOne(output, "a/x", "bytes");
  BOOST_TEST(test::ReadFile(directory / "out/a/x") == "bytes");
  BOOST_TEST(!fs::exists(directory / "out/_SUCCESS"));
  Require(output.state().Save(OutputDirectory::kModel, "model"));
  Require(output.state().Save("checkpoint", "half"));
  Require(output.Finish({{"wrote", 1}}));
  const std::vector<std::string> expected = {".out.spuna",
                                             ".out.spuna/configuration.json",
                                             ".out.spuna/manifest.json",
                                             ".out.spuna/model.safetensors",
                                             "out",
                                             "out/_SUCCESS",
                                             "out/a",
                                             "out/a/x"};
  BOOST_TEST(directory.List() == expected, boost::test_tools::per_element());
  // Readers of directories stumble over files that are not empty.
  BOOST_TEST(test::ReadFile(directory / "out/_SUCCESS").empty());
}

BOOST_AUTO_TEST_CASE(a_run_that_stopped_is_resumed) {
  const TempDirectory directory;
  {
    OutputDirectory output = Get(Open(directory));
    WriteOne(output, "x", "1");
  }
  OutputDirectory output = Get(Open(directory));
  BOOST_TEST(!output.manifest().has_value());
  Require(output.Begin());
  BOOST_TEST(test::ReadFile(directory / "out/x") == "1");
}

BOOST_AUTO_TEST_CASE(a_finished_output_is_added_to) {
  const TempDirectory directory;
  Finish(directory);
  OutputDirectory output = Get(Open(directory));
  BOOST_TEST(output.manifest().value() == json({{"wrote", "bytes"}}));
  BOOST_TEST(output.HasSuccess());
  // The mark goes before anything changes.
  BOOST_TEST(output.IsIdle());
  Require(output.Begin());
  BOOST_TEST(!output.HasSuccess());
  BOOST_TEST(!output.IsIdle());
  BOOST_TEST(fs::exists(directory / "out/a/x"));
  WriteOne(output, "a/y", "more");
  Require(output.Remove("a/x"));
  BOOST_TEST(!fs::exists(directory / "out/a/x"));
  Require(output.Remove("a/y"));
  BOOST_TEST(!fs::exists(directory / "out/a"));
  Require(output.Finish({{"wrote", "more"}}));
  BOOST_TEST(output.HasSuccess());
  BOOST_TEST(output.IsIdle());
}

BOOST_AUTO_TEST_CASE(another_configuration_is_refused_and_all_differences_are_named) {
  const TempDirectory directory;
  Finish(directory, {{"prefix", "a_"}, {"drop", false}});
  BOOST_TEST(Open(directory, {{"prefix", "b_"}, {"drop", true}}).status().message() ==
             "`out`: " + (directory / "out") +
                 ": holds the output of other options or trusted rows: `drop` was false and is "
                 "true now; `prefix` was \"a_\" and is \"b_\" now; repeat the command as it was, "
                 "choose another name or add `--overwrite`");
}

BOOST_AUTO_TEST_CASE(a_finished_output_is_replaced_only_by_a_whole_one) {
  const TempDirectory directory;
  Finish(directory);
  {
    OutputDirectory output = Get(Open(directory, kOther, true));
    WriteOne(output, "y", "new");
    // Stopped: the old output stands, marked and with its manifest.
    BOOST_TEST(test::ReadFile(directory / "out/a/x") == "bytes");
    BOOST_TEST(fs::exists(directory / "out/_SUCCESS"));
  }
  BOOST_TEST(Get(Open(directory)).manifest().has_value());
  // The same command resumes.
  OutputDirectory output = Get(Open(directory, kOther, true));
  BOOST_TEST(!output.manifest().has_value());
  Require(output.Begin());
  BOOST_TEST(test::ReadFile((output.path() / "y").string()) == "new");
  Require(output.Finish({{"wrote", "new"}}));
  const std::vector<std::string> expected = {".out.spuna",
                                             ".out.spuna/configuration.json",
                                             ".out.spuna/manifest.json",
                                             "out",
                                             "out/_SUCCESS",
                                             "out/y"};
  BOOST_TEST(directory.List() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_replacement_of_other_options_begins_anew) {
  const TempDirectory directory;
  Finish(directory);
  {
    OutputDirectory output = Get(Open(directory, kOther, true));
    WriteOne(output, "y", "new");
  }
  OutputDirectory output = Get(Open(directory, kConfiguration, true));
  Require(output.Begin());
  BOOST_TEST(!fs::exists(output.path() / "y"));
}

// As a run leaves it that was killed when its output was whole and had not taken the old one's
// place.
void LeaveUnswapped(const TempDirectory& directory) {
  const std::string swap = directory / ".out.spuna/swap";
  fs::create_directories(swap + "/data/b");
  test::WriteFile(swap + "/data/b/y", "new");
  test::WriteFile(swap + "/data/_SUCCESS", "");
  test::WriteFile(swap + "/data/.spuna-new", "");
  test::WriteFile(swap + "/configuration.json", kOther.dump());
  test::WriteFile(swap + "/manifest.json", json({{"wrote", "new"}}).dump());
  test::WriteFile(swap + "/model.safetensors", "new model");
}

BOOST_AUTO_TEST_CASE(a_kill_while_the_outputs_change_places_is_made_good) {
  for (const std::string moment : {"before", "between", "after", "entry by entry", "gone"}) {
    BOOST_TEST_CONTEXT(moment) {
      const TempDirectory directory;
      Finish(directory);
      LeaveUnswapped(directory);
      const fs::path swap = directory / ".out.spuna/swap";
      if (moment == "between" || moment == "after") {
        fs::rename(directory / "out", directory / "aside");
        fs::rename(swap / "data", directory / "out");
        fs::rename(directory / "aside", swap / "data");
      }
      if (moment == "after") {
        fs::rename(swap / "model.safetensors", directory / ".out.spuna/model.safetensors");
        fs::rename(swap / "configuration.json", directory / ".out.spuna/configuration.json");
      }
      if (moment == "entry by entry") {
        fs::create_directory(swap / "old");
        for (const char* name : {"_SUCCESS", "a"}) {
          fs::rename(fs::path(directory / "out") / name, swap / "old" / name);
        }
        test::WriteFile((swap / "emptied").string(), "");
        fs::rename(swap / "data/b", directory / "out/b");
      }
      if (moment == "gone") fs::remove_all(directory / "out");
      // Also the command that asked for it finds its work done.
      OutputDirectory output = Get(Open(directory, kOther, moment != "gone"));
      BOOST_TEST(output.manifest().value() == json({{"wrote", "new"}}));
      const std::vector<std::string> expected = {".out.spuna",
                                                 ".out.spuna/configuration.json",
                                                 ".out.spuna/manifest.json",
                                                 ".out.spuna/model.safetensors",
                                                 "out",
                                                 "out/_SUCCESS",
                                                 "out/b",
                                                 "out/b/y"};
      BOOST_TEST(directory.List() == expected, boost::test_tools::per_element());
      BOOST_TEST(test::ReadFile(directory / ".out.spuna/model.safetensors") == "new model");
    }
  }
}

BOOST_AUTO_TEST_CASE(whoever_removes_an_output_gets_a_new_one) {
  const TempDirectory directory;
  Finish(directory);
  fs::remove_all(directory / "out");
  OutputDirectory output = Get(Open(directory, kOther));
  BOOST_TEST(!output.manifest().has_value());
}

BOOST_AUTO_TEST_CASE(an_output_of_an_older_release_is_replaced_on_demand) {
  const TempDirectory directory;
  fs::create_directory(directory / "out");
  test::WriteFile(directory / "out/spuna_manifest.json", "{}");
  test::WriteFile(directory / "out/x", "old");
  BOOST_TEST(Open(directory).status().message() ==
             "`out`: " + (directory / "out") +
                 ": was written by an older release of spuna, which kept neither model nor file "
                 "times; choose another name or add `--overwrite`");
  OutputDirectory output = Get(Open(directory, kConfiguration, true));
  WriteOne(output, "y", "new");
  BOOST_TEST(test::ReadFile(directory / "out/x") == "old");
  Require(output.Finish({{"wrote", "new"}}));
  BOOST_TEST(!fs::exists(directory / "out/x"));
  BOOST_TEST(!fs::exists(directory / "out/spuna_manifest.json"));
  BOOST_TEST(test::ReadFile(directory / "out/y") == "new");
}

BOOST_AUTO_TEST_CASE(a_directory_of_others_is_not_touched) {
  const TempDirectory directory;
  fs::create_directory(directory / "out");
  test::WriteFile(directory / "out/precious", "old");
  for (const bool overwrite : {false, true}) {
    BOOST_TEST(Open(directory, kConfiguration, overwrite).status().message() ==
               "`out`: " + (directory / "out") +
                   ": is a directory that spuna did not make (there is no " +
                   (directory / ".out.spuna") +
                   ") and will not be touched; choose another name. If it was moved here, move "
                   "that folder along, under the new name");
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

BOOST_AUTO_TEST_CASE(a_directory_whose_run_has_something_to_resume_stays) {
  const TempDirectory directory;
  {
    OutputDirectory output = Get(Open(directory));
    Require(output.state().Save("checkpoint", "half"));
  }
  BOOST_TEST(fs::exists(directory / "out"));
  BOOST_TEST(Get(Open(directory)).state().Load("checkpoint").value() == "half");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
