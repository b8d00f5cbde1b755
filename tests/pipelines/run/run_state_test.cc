#include "pipelines/run/run_state.h"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/support/parquet_files.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Get;
using test::Require;
using test::TempDirectory;

const json kConfiguration = {{"prefix", "a_"}, {"seed", 1}};

arrow::Result<RunState> Open(const TempDirectory& directory,
                             const json& configuration = kConfiguration, bool overwrite = false) {
  return RunState::Open({directory / ".state", directory / "out", "out"}, configuration, overwrite);
}

BOOST_AUTO_TEST_SUITE(run_state)

BOOST_AUTO_TEST_CASE(what_was_recorded_and_saved_is_found_again) {
  const TempDirectory directory;
  {
    RunState state = Get(Open(directory));
    BOOST_TEST(state.IsFresh());
    Require(state.Record("a", {{"rows", 3}}));
    Require(state.Record("a", {{"rows", 4}}));
    Require(state.Save("blob", std::string("\0x", 2)));
  }
  RunState state = Get(Open(directory));
  BOOST_TEST(!state.IsFresh());
  BOOST_TEST(state.Find("a")->at("rows") == 4);
  BOOST_TEST((state.Find("b") == nullptr));
  BOOST_TEST(*state.Load("blob") == std::string("\0x", 2));
  BOOST_TEST(!state.Load("other").has_value());
  Require(state.Remove());
  BOOST_TEST(directory.List().empty());
}

BOOST_AUTO_TEST_CASE(a_state_with_nothing_in_it_leaves_nothing) {
  const TempDirectory directory;
  {
    const RunState state = Get(Open(directory));
  }
  BOOST_TEST(directory.List().empty());
}

BOOST_AUTO_TEST_CASE(another_configuration_is_refused_or_begins_anew) {
  const TempDirectory directory;
  {
    RunState state = Get(Open(directory));
    Require(state.Record("a", 1));
  }
  const json other = {{"prefix", "b_"}, {"seed", 1}};
  BOOST_TEST(Open(directory, other).status().message() ==
             "`out`: " + (directory / "out") +
                 ": a run of another configuration was stopped here: `prefix` was \"a_\" and is "
                 "\"b_\" now; repeat that command, choose another name or add `--overwrite`");
  // Being refused changes nothing.
  BOOST_TEST((Get(Open(directory)).Find("a") != nullptr));
  const RunState state = Get(Open(directory, other, true));
  BOOST_TEST(state.IsFresh());
}

BOOST_AUTO_TEST_CASE(one_run_at_a_time_has_it) {
  const TempDirectory directory;
  const RunState state = Get(Open(directory));
  BOOST_TEST(Open(directory).status().message().find("another run is writing this output") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_line_that_was_cut_off_is_forgotten) {
  const TempDirectory directory;
  {
    RunState state = Get(Open(directory));
    Require(state.Record("a", 1));
  }
  std::ofstream(directory / ".state/journal.jsonl", std::ios::app) << R"({"key": "b", "val)";
  {
    RunState state = Get(Open(directory));
    BOOST_TEST((state.Find("a") != nullptr));
    BOOST_TEST((state.Find("b") == nullptr));
    Require(state.Record("c", 3));
  }
  BOOST_TEST((Get(Open(directory)).Find("c") != nullptr));
}

BOOST_AUTO_TEST_CASE(what_was_half_removed_is_removed) {
  const TempDirectory directory;
  fs::create_directories(directory / ".state-ended/x");
  {
    const RunState state = Get(Open(directory));
  }
  BOOST_TEST(directory.List().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
