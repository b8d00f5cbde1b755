#include "arrow_io/lake_tables.h"

#include <boost/test/unit_test.hpp>

#include "arrow_io/input_files.h"
#include "tests/support/temp_directory.h"

namespace spuna::arrow_io {
namespace {

namespace fs = std::filesystem;
using test::TempDirectory;

void Touch(const std::string& path) {
  fs::create_directories(fs::path(path).parent_path());
  test::WriteFile(path, "");
}

std::string Message(const std::vector<std::string>& paths) {
  return ListInputFiles({paths, "pool"}).status().message();
}

BOOST_AUTO_TEST_SUITE(lake_tables)

BOOST_AUTO_TEST_CASE(a_delta_table_is_not_read_raw) {
  const TempDirectory directory;
  Touch(directory / "lake/table/part=1/a.parquet");
  Touch(directory / "lake/table/b.parquet");
  Touch(directory / "lake/plain/c.parquet");
  BOOST_TEST(Message({directory / "lake"}).empty());
  Touch(directory / "lake/table/_delta_log/00000000000000000000.json");
  const std::string refused =
      "`pool`: " + (directory / "lake/table") +
      ": expected Parquet files but found a Delta table (_delta_log): read as files, rows that "
      "were deleted from it would come back. Write the paths of its live files to a text file, one "
      "a line, and use `--pool @files.txt`; see docs/lake.md";
  fs::create_directory_symlink(directory / "lake/table/part=1", directory / "link");
  for (const std::string& path :
       {directory / "lake/table", directory / "lake/table/", directory / "lake/table/part=1",
        directory / "lake", directory / "lake/table/*.parquet", directory / "lake/**/a.parquet",
        directory / "lake/t*", directory / "link", directory / "lake/plain/../table"}) {
    BOOST_TEST_CONTEXT(path) { BOOST_TEST(Message({path}) == refused); }
  }
  // Files that are named one by one may be the live ones, and what is beside the table is plain.
  test::WriteFile(directory / "live.txt", directory / "lake/table/b.parquet");
  for (const std::string& path :
       {directory / "lake/table/part=1/a.parquet", "@" + (directory / "live.txt"),
        directory / "lake/plain", directory / "lake/p*", directory / "lake/**/c.parquet"}) {
    BOOST_TEST_CONTEXT(path) { BOOST_TEST(Message({path}).empty()); }
  }
}

BOOST_AUTO_TEST_CASE(an_iceberg_table_is_not_read_raw) {
  const TempDirectory directory;
  Touch(directory / "table/data/day=1/a.parquet");
  Touch(directory / "table/metadata/notes.json");
  BOOST_TEST(Message({directory / "table"}).empty());
  Touch(directory / "table/metadata/v1.metadata.json");
  for (const char* path : {"table", "table/data", "table/data/day=1", "table/data/*/a.parquet"}) {
    BOOST_TEST_CONTEXT(path) {
      BOOST_TEST(Message({directory / path})
                     .starts_with("`pool`: " + (directory / "table") +
                                  ": expected Parquet files but found an Iceberg table "
                                  "(metadata/v1.metadata.json): "));
    }
  }
  BOOST_TEST(Message({directory / "table/data/day=1/a.parquet"}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
