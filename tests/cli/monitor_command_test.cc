#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/parquet_files.h"
#include "tests/support/program.h"
#include "tests/support/random_rows.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::RandomRows;
using test::RunSpuna;
using test::TempDirectory;

constexpr std::size_t kDimension = 6;

void Write(const std::string& path, const test::Matrix& rows) {
  test::WriteParquet(path, *test::EmbeddingTable(rows));
}

BOOST_AUTO_TEST_SUITE(monitor_command)

BOOST_AUTO_TEST_CASE(the_exit_code_tells_whether_a_shift_was_found) {
  const TempDirectory directory;
  Write(directory / "trusted.parquet", RandomRows(400, kDimension, 1));
  Write(directory / "pool.parquet", test::ShiftedPool(600, kDimension, 2, 1.5));
  Write(directory / "clean.parquet", RandomRows(100, kDimension, 3));
  Write(directory / "shifted.parquet", RandomRows(100, kDimension, 4, 1.5));
  const std::string model = directory / "m.safetensors";
  const ProgramResult fitted =
      RunSpuna({"fit", "--trusted", directory / "trusted.parquet", "--pool",
                directory / "pool.parquet", "--model", model, "--epochs", "2"});
  BOOST_REQUIRE_EQUAL(fitted.exit_code, 0);
  auto watch = [&](const std::string& batch, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"monitor", "--model", model, "--input",
                                          directory / batch};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunSpuna(arguments);
  };
  const std::string state = directory / "s.json";
  ProgramResult result = watch("clean.parquet", {"--state", state});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.find("not detected in 1 batch (p = ") != std::string::npos);
  result = watch("shifted.parquet", {"--state", state, "--json"});
  BOOST_TEST(result.exit_code == 3);
  const json said = json::parse(result.out);
  BOOST_TEST(said["shift_found"] == true);
  BOOST_TEST(said["batch"] == 2);
  BOOST_TEST(watch("clean.parquet", {"--state", state, "--quiet"}).exit_code == 3);
  BOOST_TEST(watch("clean.parquet", {}).exit_code == 0);

  result = watch("clean.parquet", {"--level", "2"});
  BOOST_TEST(result.exit_code == 2);
  BOOST_TEST(result.err == "spuna: error: `level` must be more than 0 and less than 1, but is 2\n");
  test::WriteFile(state, "{");
  result = watch("clean.parquet", {"--state", state});
  BOOST_TEST(result.exit_code == 1);
  BOOST_TEST(result.out.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
