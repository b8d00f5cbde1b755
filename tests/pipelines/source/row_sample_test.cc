#include "pipelines/source/row_sample.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <tuple>

namespace spuna {
namespace {

std::vector<arrow_io::InputFile> Files(const std::vector<std::string>& paths) {
  std::vector<arrow_io::InputFile> input;
  for (const std::string& path : paths) {
    arrow_io::InputFile file;
    file.relative_path = path;
    const std::size_t equals = path.find('=');
    if (equals != std::string::npos) {
      file.partitions = {
          {path.substr(0, equals), path.substr(equals + 1, path.find('/') - equals - 1)}};
    }
    input.push_back(file);
  }
  return input;
}

using Row = std::pair<std::string, std::int64_t>;

std::set<Row> RowsOf(const std::vector<arrow_io::InputFile>& input, const RowSample& sample) {
  std::set<Row> rows;
  for (std::size_t i = 0; i < input.size(); ++i) {
    BOOST_TEST(std::ranges::is_sorted(sample.rows[i]));
    for (const std::int64_t row : sample.rows[i]) {
      rows.emplace(input[i].relative_path.string(), row);
    }
  }
  BOOST_TEST(static_cast<std::int64_t>(rows.size()) == sample.num_rows);
  return rows;
}

BOOST_AUTO_TEST_SUITE(row_sample)

BOOST_AUTO_TEST_CASE(it_is_the_rows_with_the_smallest_hashes) {
  const auto input = Files({"a", "b", "c"});
  const std::vector<std::int64_t> num_rows = {5000, 0, 3000};
  for (const std::uint64_t seed : {0, 1, 17}) {
    std::vector<std::tuple<std::uint64_t, std::string, std::int64_t>> all;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string path = input[i].relative_path.string();
      for (std::int64_t row = 0; row < num_rows[i]; ++row) {
        all.emplace_back(SampleKeys(path, seed)(row).hash, path, row);
      }
    }
    std::ranges::sort(all);
    for (const std::int64_t wanted : {1, 2, 700, 7999}) {
      BOOST_TEST_CONTEXT("seed " << seed << ", rows " << wanted) {
        std::set<Row> expected;
        for (std::int64_t i = 0; i < wanted; ++i) {
          const auto& [hash, path, row] = all[static_cast<std::size_t>(i)];
          expected.emplace(path, row);
        }
        const auto sample = SampleRows(input, num_rows, wanted, FitSample::kUniform, seed);
        BOOST_TEST((RowsOf(input, sample) == expected));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(it_does_not_depend_on_the_order_of_the_files) {
  const auto forwards = Files({"k=a/x", "k=a/y", "k=b/z"});
  const auto backwards = Files({"k=b/z", "k=a/y", "k=a/x"});
  for (const FitSample kind : {FitSample::kUniform, FitSample::kByPartition}) {
    BOOST_TEST((RowsOf(forwards, SampleRows(forwards, {100, 2000, 300}, 500, kind, 3)) ==
                RowsOf(backwards, SampleRows(backwards, {300, 2000, 100}, 500, kind, 3))));
  }
}

BOOST_AUTO_TEST_CASE(another_seed_takes_other_rows) {
  const auto input = Files({"a"});
  BOOST_TEST((SampleRows(input, {1000}, 100, FitSample::kUniform, 1).rows !=
              SampleRows(input, {1000}, 100, FitSample::kUniform, 2).rows));
}

BOOST_AUTO_TEST_CASE(each_partition_gets_its_share) {
  const auto input = Files({"k=a/x", "k=a/y", "k=b/z", "k=c/z", "k=d/z"});
  const auto sample = SampleRows(input, {3000, 3000, 3990, 10, 0}, 100, FitSample::kByPartition, 5);
  BOOST_TEST(sample.rows[0].size() + sample.rows[1].size() == 60U);
  BOOST_TEST(sample.rows[2].size() == 40U);
  BOOST_TEST(sample.rows[3].size() == 1U);  // A tenth of a row is one.
  BOOST_TEST(sample.rows[4].empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
