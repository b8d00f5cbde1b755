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
  const auto input = ListInputFiles({{directory / "a.parquet"}, "pool"}).ValueOrDie();
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
    const auto input = ListInputFiles({{path}, "pool"}).ValueOrDie();
    const std::vector<std::string> expected = {"a/b.PARQUET", "a/z.parquet", "b.parquet", "c.pq"};
    BOOST_TEST(RelativePaths(input) == expected, boost::test_tools::per_element());
    BOOST_TEST(!input.is_single_file);
  }
}

BOOST_AUTO_TEST_CASE(a_directory_of_one_file_stays_a_directory) {
  const TempDirectory directory;
  Touch(directory / "a.parquet");
  BOOST_TEST(!ListInputFiles({{directory.path().string()}, "pool"})->is_single_file);
}

BOOST_AUTO_TEST_CASE(hive_partitions_are_told) {
  const TempDirectory directory;
  Touch(directory / "day=2024-01-01/kind=a%2Fb/x.parquet");
  const auto input = ListInputFiles({{directory.path().string()}, "pool"}).ValueOrDie();
  const auto& partitions = input.files.at(0).partitions;
  BOOST_TEST_REQUIRE(partitions.size() == 2U);
  BOOST_TEST(partitions[0].first == "day");
  BOOST_TEST(partitions[0].second == "2024-01-01");
  BOOST_TEST(partitions[1].second == "a/b");
}

BOOST_AUTO_TEST_CASE(hive_keys_belong_to_a_path_however_many_are_given) {
  const TempDirectory directory;
  Touch(directory / "day=1/x.parquet");
  Touch(directory / "day=2/kind=b/y.parquet");
  Touch(directory / "day=1/day=3/z.parquet");
  using Keys = std::vector<std::pair<std::string, std::string>>;
  auto keys = [&](const std::vector<std::string>& paths, std::size_t file = 0) {
    return ListInputFiles({paths, "pool"}).ValueOrDie().files.at(file).partitions;
  };
  const Keys first = {{"day", "1"}};
  BOOST_TEST((keys({directory / "day=1/x.parquet"}) == first));
  BOOST_TEST((keys({directory / "day=1/*.parquet"}) == first));
  BOOST_TEST((keys({directory / "day=1/x.parquet", directory / "day=2"}) == first));
  const Keys second = {{"day", "2"}, {"kind", "b"}};
  BOOST_TEST((keys({directory / "day=2/kind=b"}) == second));
  BOOST_TEST((keys({directory / "day=1/x.parquet", directory / "day=2"}, 1) == second));
  // The innermost counts.
  BOOST_TEST((keys({directory / "day=1/day=3"}) == Keys{{"day", "3"}}));
  // The layout is that of before.
  const auto input = ListInputFiles({{directory / "day=2"}, "pool"}).ValueOrDie();
  BOOST_TEST(input.files[0].relative_path == "kind=b/y.parquet");
}

BOOST_AUTO_TEST_CASE(files_of_any_name_are_read_when_named_or_asked_for) {
  const TempDirectory directory;
  for (const char* name : {"part-0", "a/part-1.snappy", "b.parquet", "_SUCCESS", ".x", "_t/y"}) {
    Touch(directory / name);
  }
  const std::string all = directory.path().string();
  auto paths = [&](const std::string& path, bool all_files) {
    return RelativePaths(ListInputFiles({{path}, "pool", all_files}).ValueOrDie());
  };
  auto message = [&](const std::string& path, bool all_files) {
    return ListInputFiles({{path}, "pool", all_files}).status().message();
  };
  BOOST_TEST(paths(all, false) == std::vector<std::string>{"b.parquet"},
             boost::test_tools::per_element());
  const std::vector<std::string> every = {"a/part-1.snappy", "b.parquet", "part-0"};
  BOOST_TEST(paths(all, true) == every, boost::test_tools::per_element());
  const std::vector<std::string> parts = {"a/part-1.snappy", "part-0"};
  BOOST_TEST(paths(directory / "**/part-*", true) == parts, boost::test_tools::per_element());
  BOOST_TEST(paths(directory / "part-0", false) == std::vector<std::string>{"part-0"},
             boost::test_tools::per_element());
  test::WriteFile(directory / "_list", directory / "part-0");
  BOOST_TEST(paths("@" + (directory / "_list"), false) == std::vector<std::string>{"part-0"},
             boost::test_tools::per_element());

  BOOST_TEST(message(directory / "a", false) ==
             "`pool`: " + (directory / "a") +
                 ": expected a directory with .parquet files but found none; to read files of "
                 "other names, such as part-1.snappy, add `--all-files`");
  BOOST_TEST(message(directory / "part-*", false) ==
             "`pool`: " + (directory / "part-*") +
                 ": no .parquet file matches this pattern; to read files of other names, such as "
                 "part-0, add `--all-files`");
  BOOST_TEST(message(directory / "_t/*.z", true) ==
             "`pool`: " + (directory / "_t/*.z") + ": no file matches this pattern");
  fs::create_directory(directory / "empty");
  BOOST_TEST(message(directory / "empty", true) ==
             "`pool`: " + (directory / "empty") +
                 ": expected a directory with files but found none");
}

BOOST_AUTO_TEST_CASE(a_base_fixes_the_layout) {
  const TempDirectory directory;
  Touch(directory / "lake/day=1/a.parquet");
  Touch(directory / "lake/day=2/b.parquet");
  Touch(directory / "lake2/c.parquet");
  auto list = [&](const std::vector<std::string>& paths, const std::string& base) {
    return ListInputFiles({paths, "pool", false, base});
  };
  const std::vector<std::string> expected = {"day=1/a.parquet"};
  fs::create_directory_symlink(directory / "lake", directory / "link");
  for (const std::string& base :
       {directory / "lake", directory / "lake/", directory / "lake2/../lake",
        "file://" + (directory / "lake"), directory / "link"}) {
    for (const std::string& path :
         {directory / "lake/day=1/a.parquet", directory / "lake/day=1", directory / "lake/*/a*"}) {
      const auto input = list({path}, base).ValueOrDie();
      BOOST_TEST(RelativePaths(input) == expected, boost::test_tools::per_element());
      BOOST_TEST(!input.is_single_file);
    }
  }
  for (const std::string& base : {directory / "lake", std::string("s3://bucket/lake")}) {
    BOOST_TEST(list({directory / "lake2/c.parquet"}, base).status().message() ==
               "`pool`: " + (directory / "lake2/c.parquet") +
                   ": expected a file below `base`, which is " + base + ", but it lies elsewhere");
  }
  BOOST_TEST(!list({directory / "lake2/c.parquet"}, directory / "lake2/c.parquet").ok());
  BOOST_TEST(list({directory / "lake2/c.parquet"}, "s3://K:SECRET@b?x=SECRET")
                 .status()
                 .message()
                 .find("SECRET") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(several_paths_keep_their_order_and_their_layout) {
  const TempDirectory directory;
  Touch(directory / "lake/b/x.parquet");
  Touch(directory / "lake/a/x.parquet");
  Touch(directory / "more.parquet");
  const auto input = ListInputFiles({{directory / "more.parquet", directory / "lake/b",
                                      directory / "lake/a/x.parquet"},
                                     "pool"})
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
    return ListInputFiles({paths, "pool"}).status().message();
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

BOOST_AUTO_TEST_CASE(patterns_lists_and_file_uris_name_files) {
  const TempDirectory directory;
  for (const char* name : {"day=1/a.parquet", "day=1/b.parquet", "day=2/a.parquet", "x[1].parquet",
                           "day=2/_a.parquet", "day=2/notes.txt"}) {
    Touch(directory / name);
  }
  auto paths = [&](const std::vector<std::string>& given) {
    return RelativePaths(ListInputFiles({given, "pool"}).ValueOrDie());
  };
  const std::vector<std::string> both = {"day=1/a.parquet", "day=2/a.parquet"};
  BOOST_TEST(paths({directory / "*/a.parquet"}) == both, boost::test_tools::per_element());
  const std::vector<std::string> all = {"day=1/a.parquet", "day=1/b.parquet", "day=2/a.parquet"};
  BOOST_TEST(paths({directory / "day=*"}) == all, boost::test_tools::per_element());
  BOOST_TEST(paths({directory / "**/day=*"}) == all, boost::test_tools::per_element());
  // A name that exists is no pattern.
  BOOST_TEST(ListInputFiles({{directory / "x[1].parquet"}, "pool"})->is_single_file);
  BOOST_TEST(!ListInputFiles({{directory / "x*.parquet"}, "pool"})->is_single_file);
  BOOST_TEST(
      ListInputFiles({{"file://" + (directory / "x%5B1%5D.parquet")}, "pool"})->is_single_file);

  test::WriteFile(directory / "list",
                  (directory / "day=2") + "\n\n" + (directory / "day=1/b.parquet") + "\r\n");
  const std::vector<std::string> listed = {"day=2/a.parquet", "day=1/b.parquet"};
  BOOST_TEST(paths({"@" + (directory / "list")}) == listed, boost::test_tools::per_element());
  BOOST_TEST(paths({"@file://" + (directory / "list")}) == listed,
             boost::test_tools::per_element());
  test::WriteFile(directory / "list", directory / "x[1].parquet");
  BOOST_TEST(!ListInputFiles({{"@" + (directory / "list")}, "pool"})->is_single_file);
}

BOOST_AUTO_TEST_CASE(what_names_nothing_says_so) {
  const TempDirectory directory;
  auto message = [&](const std::string& path) {
    return ListInputFiles({{path}, "pool"}).status().message();
  };
  const std::string pattern = directory / "*.parquet";
  BOOST_TEST(message(pattern) == "`pool`: " + pattern + ": no .parquet file matches this pattern");
  test::WriteFile(directory / "list", "\n");
  const std::string list = "@" + (directory / "list");
  BOOST_TEST(message(list) == "`pool`: " + list + ": expected a path in each line but found none");
  test::WriteFile(directory / "list", "@another");
  BOOST_TEST(message(list) == "`pool`: " + list + ": a list of paths can't name another list");
  BOOST_TEST(message("@" + (directory / "none"))
                 .ends_with("expected a text file with one path a line but found none"));
  BOOST_TEST(message("ftp://host/x") ==
             "`pool`: ftp://host/x: expected a path or a URI that starts with s3://, gs:// or "
             "abfs:// but found ftp://");
  BOOST_TEST(message("ftp://USER:SECRET@host/x?t=SECRET").find("SECRET") == std::string::npos);
  BOOST_TEST(message("file://host/x") ==
             "`pool`: file://host/x: expected a file of this machine, file:///path or "
             "file://localhost/path, but found another host");
  BOOST_TEST(message("s3:///x") == "`pool`: s3:///x: expected the name of a bucket after s3://");
}

BOOST_AUTO_TEST_CASE(a_file_that_changed_since_it_was_listed_is_told) {
  const TempDirectory directory;
  Touch(directory / "a.parquet");
  const auto input = ListInputFiles({{directory / "a.parquet"}, "pool"}).ValueOrDie();
  BOOST_TEST(input.files[0].CheckUnchanged().ok());
  test::WriteFile(directory / "a.parquet", "more");
  BOOST_TEST(input.files[0].CheckUnchanged().message() ==
             (directory / "a.parquet") +
                 ": the file changed while the run read it (it had 0 bytes and has 4); run again "
                 "when nobody writes to it");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
