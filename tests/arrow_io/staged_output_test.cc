#include "arrow_io/staged_output.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_directory.h"

namespace spuna::arrow_io {
namespace {

namespace fs = std::filesystem;
using test::TempDirectory;
StagedOutput::Target Target(const std::string& path, bool overwrite = false) {
  return {path, overwrite, "out"};
}

BOOST_AUTO_TEST_SUITE(staged_output)

BOOST_AUTO_TEST_CASE(a_file_appears_when_committed) {
  const TempDirectory directory;
  auto output = StagedOutput::Create(Target(directory / "a.parquet")).ValueOrDie();
  BOOST_TEST(WriteBytes(output.path(), "new").ok());
  BOOST_TEST(!fs::exists(directory / "a.parquet"));
  BOOST_TEST(output.Commit().ok());
  BOOST_TEST(test::ReadFile(directory / "a.parquet") == "new");
  BOOST_TEST(directory.List().size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_not_committed_leaves_nothing) {
  const TempDirectory directory;
  {
    auto file = StagedOutput::Create(Target(directory / "a.parquet")).ValueOrDie();
    StagedOutput moved = std::move(file);
    BOOST_TEST(directory.List().size() == 1U);
  }
  BOOST_TEST(directory.List().empty());
}

BOOST_AUTO_TEST_CASE(an_existing_output_is_replaced_only_when_asked) {
  const TempDirectory directory;
  const std::string path = directory / "a.parquet";
  test::WriteFile(path, "old");
  BOOST_TEST(StagedOutput::Create(Target(path)).status().message() ==
             "`out`: " + path + ": exists already; choose another name or add `--overwrite`");
  auto output = StagedOutput::Create(Target(path, true)).ValueOrDie();
  BOOST_TEST(WriteBytes(output.path(), "new").ok());
  BOOST_TEST(test::ReadFile(path) == "old");
  BOOST_TEST(output.Commit().ok());
  BOOST_TEST(test::ReadFile(path) == "new");
}

BOOST_AUTO_TEST_CASE(an_output_made_meanwhile_is_not_replaced) {
  const TempDirectory directory;
  auto output = StagedOutput::Create(Target(directory / "a")).ValueOrDie();
  test::WriteFile(directory / "a", "someone else's");
  BOOST_TEST(!output.Commit().ok());
  BOOST_TEST(test::ReadFile(directory / "a") == "someone else's");
}

BOOST_AUTO_TEST_CASE(only_files_are_replaced) {
  const TempDirectory directory;
  fs::create_directory(directory / "folder");
  BOOST_TEST(StagedOutput::Create(Target(directory / "folder", true))
                 .status()
                 .message()
                 .ends_with("is a directory, but the output is one file"));
  BOOST_TEST(StagedOutput::Create(Target("/dev/null", true))
                 .status()
                 .message()
                 .ends_with("is not a regular file and will not be replaced"));
}

BOOST_AUTO_TEST_CASE(what_a_killed_run_left_goes_with_the_next) {
  const TempDirectory directory;
  auto living = StagedOutput::Create(Target(directory / "a")).ValueOrDie();
  std::string abandoned;
  {
    // A temporary file whose lock is gone, as after a kill.
    auto killed = StagedOutput::Create(Target(directory / "a")).ValueOrDie();
    abandoned = killed.path().string();
    fs::copy_file(killed.path(), abandoned + ".tmp");
  }
  fs::rename(abandoned + ".tmp", abandoned);
  test::WriteFile(directory / ".spuna-of-another-output.tmp", "");
  auto next = StagedOutput::Create(Target(directory / "a")).ValueOrDie();
  BOOST_TEST(next.Commit().ok());
  BOOST_TEST(!fs::exists(abandoned));
  BOOST_TEST(fs::exists(living.path()));
  BOOST_TEST(fs::exists(directory / ".spuna-of-another-output.tmp"));
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_missing_or_closed_is_found_out_at_once) {
  const TempDirectory directory;
  const std::string path = directory / "missing/a";
  BOOST_TEST(StagedOutput::Create(Target(path)).status().message() ==
             "`out`: " + path + ": the folder " + (directory / "missing") +
                 " does not exist; create it first");
  BOOST_TEST(!StagedOutput::Create(Target("/proc/a.parquet")).ok());
}

BOOST_AUTO_TEST_CASE(outputs_stay_apart_from_inputs) {
  const TempDirectory directory;
  fs::create_directories(directory / "lake/part");
  test::WriteFile(directory / "lake/part/a.parquet", "");
  fs::create_symlink(directory / "lake/part/a.parquet", directory / "link.parquet");
  fs::create_hard_link(directory / "lake/part/a.parquet", directory / "hard.parquet");
  auto allowed = [&](const std::string& output, const std::string& input) {
    return CheckApart(directory / output, "out", {{directory / input, "pool"}}).ok();
  };
  BOOST_TEST(!allowed("lake/part/a.parquet", "lake/part/a.parquet"));
  BOOST_TEST(!allowed("lake/part/../part/a.parquet", "lake/part/a.parquet"));
  BOOST_TEST(!allowed("link.parquet", "lake/part/a.parquet"));
  BOOST_TEST(!allowed("hard.parquet", "lake/part/a.parquet"));
  BOOST_TEST(!allowed("lake", "lake"));
  BOOST_TEST(!allowed("lake/", "lake"));
  BOOST_TEST(!allowed("lake/out", "lake"));
  BOOST_TEST(!allowed("lake", "lake/part/a.parquet"));
  BOOST_TEST(allowed("lake-clean", "lake"));
  BOOST_TEST(allowed("lake/part/b.parquet", "lake/part/a.parquet"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
