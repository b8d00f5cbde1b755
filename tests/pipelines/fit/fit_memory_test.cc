#include "pipelines/fit/fit_memory.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "pipelines/fit/file_fit.h"
#include "tests/support/parquet_files.h"
#include "tests/support/random_rows.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

BOOST_AUTO_TEST_SUITE(fit_memory)

BOOST_AUTO_TEST_CASE(the_estimate_is_the_documented_formula) {
  // 2.3 * 4 * 768 * 15,000 + 2 * 8 * 14,000 * 100 + 150e6
  const double estimate = EstimateFitMemory({1000, 14'000, 768, 100});
  BOOST_TEST(estimate == 278'384'000, boost::test_tools::tolerance(1e-9));
  // Many trusted rows: 4 * 10 * (2,000 + 6.4 * 1,000) + 2 * 8 * 1,000 * 5 + 150e6
  BOOST_TEST(EstimateFitMemory({1000, 1000, 10, 5}) == 150'416'000,
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(too_little_memory_is_an_error_that_says_what_to_do) {
  const FitShape shape{1000, 14'000, 768, 100};
  BOOST_TEST(CheckFitMemory(shape, 300e6).ok());
  const arrow::Status status = CheckFitMemory(shape, 200e6);
  BOOST_TEST(status.IsOutOfMemory());
  BOOST_TEST(status.message() ==
             "fitting 1000 trusted and 14000 pool rows of dimension 768 takes up to 279 MB of "
             "memory but 200 MB are free; fit on fewer rows with `--fit-rows`, or go on "
             "with `--force`");
}

BOOST_AUTO_TEST_CASE(a_fit_on_files_is_measured_by_their_footers) {
  const test::TempDirectory directory;
  const std::string trusted = (directory.path() / "trusted.parquet").string();
  const std::string pool = (directory.path() / "pool").string();
  test::WriteParquet(trusted, *test::EmbeddingTable(test::RandomRows(30, 6, 1)));
  for (const char* name : {"a.parquet", "b.parquet"}) {
    test::WriteParquet(directory.path() / "pool" / name,
                       *test::EmbeddingTable(test::RandomRows(200, 6, 2)), 70);
  }
  FitRequest request(test::Get(Source::List({{trusted}, "trusted"}, OnBadFile::kError)),
                     test::Get(Source::List({{pool}, "pool"}, OnBadFile::kError)));
  request.options.k = 7;
  test::Require(request.Survey({}, {}));
  BOOST_TEST(request.Shape().rows_trusted == 30);
  BOOST_TEST(request.Shape().rows_pool == 400);
  BOOST_TEST(request.Shape().dimension == 6);
  BOOST_TEST(request.Shape().k == 7);
  request.options.fit_rows = 50;
  BOOST_TEST(request.Shape().rows_pool == 50);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
