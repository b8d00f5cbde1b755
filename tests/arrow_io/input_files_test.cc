#include "arrow_io/input_files.h"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_directory.h"

namespace spuna::arrow_io {
namespace {

namespace fs = std::filesystem;
using test::TempDirectory;

void Touch(const std::string& path) {
  fs::create_directories(fs::path(path).parent_path());
  test::WriteFile(path, "");
}

std::vector<std::string> RelativePaths(const InputFiles& input) {
  std::vector<std::string> paths;
  for (const InputFile& file : input.files) paths.push_back(file.relative_path.string());
  return paths;
}

BOOST_AUTO_TEST_SUITE(input_files)

BOOST_AUTO_TEST_CASE(a_file_is_a_single_file) {
  const TempDirectory directory;
  Touch(directory / "a.parquet");
  const auto input = ListInputFiles({directory / "a.parquet"}, "pool").ValueOrDie();
  BOOST_TEST(input.is_single_file);
  BOOST_TEST(input.files.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_directory_is_walked_in_the_order_of_its_paths) {
  const TempDirectory directory;
  for (const char* name :
       {"b.parquet", "a/z.parquet", "a/b.PARQUET", "c.pq", "notes.txt", "_SUCCESS",
        "_hidden/x.parquet", ".tmp.parquet", "a/_metadata.parquet"}) {
    Touch(directory / name);
  }
  for (const std::string& path : {directory.path().string(), directory / ""}) {
    const auto input = ListInputFiles({path}, "pool").ValueOrDie();
    const std::vector<std::string> expected = {"a/b.PARQUET", "a/z.parquet", "b.parquet", "c.pq"};
    BOOST_TEST(RelativePaths(input) == expected, boost::test_tools::per_element());
    BOOST_TEST(!input.is_single_file);
  }
}

BOOST_AUTO_TEST_CASE(a_directory_of_one_file_stays_a_directory) {
  const TempDirectory directory;
  Touch(directory / "a.parquet");
  BOOST_TEST(!ListInputFiles({directory.path().string()}, "pool")->is_single_file);
}

BOOST_AUTO_TEST_CASE(hive_partitions_are_told) {
  const TempDirectory directory;
  Touch(directory / "day=2024-01-01/kind=a%2Fb/x.parquet");
  const auto input = ListInputFiles({directory.path().string()}, "pool").ValueOrDie();
  const auto& partitions = input.files.at(0).partitions;
  BOOST_TEST_REQUIRE(partitions.size() == 2U);
  BOOST_TEST(partitions[0].first == "day");
  BOOST_TEST(partitions[0].second == "2024-01-01");
  BOOST_TEST(partitions[1].second == "a/b");
}

BOOST_AUTO_TEST_CASE(several_paths_keep_their_order_and_their_layout) {
  const TempDirectory directory;
  Touch(directory / "lake/b/x.parquet");
  Touch(directory / "lake/a/x.parquet");
  Touch(directory / "more.parquet");
  const auto input = ListInputFiles({directory / "more.parquet", directory / "lake/b",
                                     directory / "lake/a/x.parquet"},
                                    "pool")
                         .ValueOrDie();
  const std::vector<std::string> expected = {"more.parquet", "lake/b/x.parquet",
                                             "lake/a/x.parquet"};
  BOOST_TEST(RelativePaths(input) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_an_error) {
  const TempDirectory directory;
  Touch(directory / "a.parquet");
  fs::create_directory(directory / "empty");
  auto message = [](const std::vector<std::string>& paths) {
    return ListInputFiles(paths, "pool").status().message();
  };
  const std::string missing = directory / "b.parquet";
  BOOST_TEST(message({missing}) == "`pool`: " + missing + ": No such file or directory");
  BOOST_TEST(message({directory / "empty"}) ==
             "`pool`: " + (directory / "empty") +
                 ": expected a directory with .parquet files but found none");
  BOOST_TEST(message({directory / "a.parquet",
                      directory / "../" + directory.path().filename().string() + "/a.parquet"})
                 .ends_with("a.parquet are the same file"));
  // A cycle of links, and a link to nowhere.
  fs::create_directory(directory / "cycle");
  Touch(directory / "cycle/x.parquet");
  fs::create_directory_symlink(directory / "cycle", directory / "cycle/loop");
  fs::create_directory_symlink(directory / "cycle", directory / "cycle/again");
  BOOST_TEST(message({directory / "cycle"})
                 .ends_with(": this link leads to a directory that is read already"));
  fs::create_symlink(directory / "nowhere", directory / "empty/dangling.parquet");
  BOOST_TEST(message({directory / "empty"}) ==
             (directory / "empty/dangling.parquet") + ": No such file or directory");
  fs::remove(directory / "empty/dangling.parquet");
  fs::create_symlink(directory / "nowhere", directory / "empty/day=2");
  BOOST_TEST(message({directory / "empty"}) ==
             (directory / "empty/day=2") + ": No such file or directory");
  BOOST_TEST(message({}) == "`pool` names no file");
  // Opening a pipe would wait forever.
  const std::string pipe = directory / "pipe.parquet";
  BOOST_TEST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  BOOST_TEST(message({pipe}) ==
             "`pool`: " + pipe + ": expected a file or a directory but found something else");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
