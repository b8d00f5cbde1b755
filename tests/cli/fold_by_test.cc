// The option --fold-by through the program: files, samples and the configuration file.
#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/files_example.h"
#include "tests/support/parquet_files.h"
#include "tests/support/program.h"

namespace spuna {
namespace {

using test::ProgramResult;
using test::RunSpuna;

// Rows with a column `video`: groups of five, each with an offset of its own.
void WriteVideos(const std::string& path, const std::string& name, std::size_t num_videos,
                 std::uint64_t seed) {
  const test::Matrix offsets = test::RandomRows(num_videos, test::kDimension, seed, 0, 3);
  test::Matrix rows = test::RandomRows(5 * num_videos, test::kDimension, seed + 1);
  arrow::StringBuilder videos;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    for (std::size_t j = 0; j < test::kDimension; ++j) {
      rows.row(i)[j] += offsets.values[i / 5 * test::kDimension + j];
    }
    test::Require(videos.Append(name + std::to_string(i / 5)));
  }
  const auto column = std::make_shared<arrow::ChunkedArray>(videos.Finish().ValueOrDie());
  test::WriteParquet(path, *test::Get(test::EmbeddingTable(rows)->AddColumn(
                               3, arrow::field("video", arrow::utf8()), column)));
}

struct Videos {
  test::TempDirectory directory;

  Videos() {
    WriteVideos(directory / "trusted.parquet", "trusted ", 40, 1);
    WriteVideos(directory / "pool.parquet", "pool ", 50, 7);
  }

  std::vector<std::string> Clean(const std::vector<std::string>& more,
                                 const std::string& pool = "pool.parquet") const {
    std::vector<std::string> arguments = {"clean",
                                          "--trusted",
                                          directory / "trusted.parquet",
                                          "--pool",
                                          directory / pool,
                                          "--out",
                                          directory / "out.parquet",
                                          "--overwrite",
                                          "--hidden",
                                          "8",
                                          "--epochs",
                                          "2",
                                          "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  nlohmann::json CleanJson(const std::vector<std::string>& more) const {
    const ProgramResult result = RunSpuna(Clean(more));
    BOOST_TEST_CONTEXT(result.err) { BOOST_TEST(result.exit_code == 0); }
    return nlohmann::json::parse(result.out);
  }
};

BOOST_AUTO_TEST_SUITE(fold_by)

BOOST_AUTO_TEST_CASE(groups_are_kept_whole_and_count_once) {
  const Videos videos;
  BOOST_TEST(videos.CleanJson({})["verdict"] == "shift");
  const nlohmann::json plain = videos.CleanJson({"--fold-by", "video"});
  BOOST_TEST(plain["verdict"] != "shift");
  BOOST_TEST(plain["shift_test"]["least_p_value"] == 0.0025);
  const nlohmann::json calibrated =
      videos.CleanJson({"--fold-by", "video", "--max-clean-loss", "0.1", "--fit-rows", "120"});
  BOOST_TEST(calibrated["rows_calibration"] == 10);
  BOOST_TEST(calibrated["rows_trusted"] == 200);
  BOOST_TEST(calibrated["rows_pool"] == 120);
}

BOOST_AUTO_TEST_CASE(a_configuration_file_says_the_same) {
  const Videos videos;
  std::ofstream(videos.directory / "c.toml") << "fold-by = \"video\"\n";
  nlohmann::json by_file = videos.CleanJson({"--config", videos.directory / "c.toml"});
  nlohmann::json by_option = videos.CleanJson({"--fold-by", "video"});
  BOOST_TEST(by_file["shift_test"] == by_option["shift_test"]);
  BOOST_TEST(by_file["share_shifted"] == by_option["share_shifted"]);
}

BOOST_AUTO_TEST_CASE(what_can_not_be_folded_by_is_said) {
  const Videos videos;
  auto refused = [&](const std::vector<std::string>& arguments, const std::string& text) {
    const ProgramResult result = RunSpuna(arguments);
    BOOST_TEST_CONTEXT(result.err) {
      BOOST_TEST(result.exit_code == 1);
      BOOST_TEST(result.err.find(text) != std::string::npos);
    }
  };
  refused(videos.Clean({"--fold-by", "scene"}), "there is no column 'scene' as `fold-by` says");
  WriteVideos(videos.directory / "both.parquet", "trusted ", 5, 5);
  refused(videos.Clean({"--fold-by", "video"}, "both.parquet"),
          "`fold-by`: group 'trusted 0' of column 'video' is in the trusted rows and in the pool, "
          "and so are 4 more; leave each group out of one of the two");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
