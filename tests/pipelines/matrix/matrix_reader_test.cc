#include <arrow/api.h>
#include <parquet/properties.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

#include "arrow_io/direct_lists.h"
#include "pipelines/matrix/source_rows.h"
#include "tests/support/parquet_files.h"
#include "tests/support/random_rows.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

using test::Get;
using test::Matrix;

constexpr std::size_t kDimension = 5;

std::shared_ptr<arrow::Table> TableOf(const std::shared_ptr<arrow::Array>& embeddings) {
  return arrow::Table::Make(arrow::schema({arrow::field("embedding", embeddings->type())}),
                            {embeddings});
}

arrow::Result<EmbeddingMatrix> Read(const std::vector<std::string>& paths, int num_threads,
                                    InvalidRows invalid = InvalidRows::kNull) {
  ARROW_ASSIGN_OR_RAISE(Source source, Source::List({paths, "pool"}, OnBadFile::kError));
  Runtime runtime;
  runtime.num_threads = num_threads;
  StageClock clock(runtime);
  ARROW_RETURN_NOT_OK(source.Survey({"embedding", ""}, {}, runtime));
  ARROW_ASSIGN_OR_RAISE(SourceRows rows, ReadAllRows({source, invalid, "", "", {}}, clock));
  return std::move(rows.matrix);
}

// The rows that are expected of a matrix without those in `invalid`.
void CheckMatrix(const EmbeddingMatrix& matrix, const Matrix& rows,
                 const std::set<std::size_t>& invalid) {
  BOOST_TEST(matrix.dimension == static_cast<std::int64_t>(rows.dimension));
  BOOST_TEST_REQUIRE(matrix.valid.size() == rows.num_rows);
  BOOST_TEST_REQUIRE(static_cast<std::size_t>(matrix.num_rows()) == rows.num_rows - invalid.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    BOOST_TEST((matrix.valid[i] == 0) == invalid.contains(i));
    if (invalid.contains(i)) continue;
    for (std::size_t j = 0; j < rows.dimension; ++j) {
      BOOST_TEST_REQUIRE(matrix.view().row(next)[j] == rows.view().row(i)[j]);
    }
    ++next;
  }
}

BOOST_AUTO_TEST_SUITE(matrix_reader)

BOOST_AUTO_TEST_CASE(every_layout_gives_the_same_matrix) {
  const test::TempDirectory directory;
  const Matrix rows = test::RandomRows(100, kDimension, 1);
  const std::vector<std::shared_ptr<arrow::DataType>> types{
      test::FixedSizeFloats(kDimension), arrow::list(arrow::float32()),
      arrow::large_list(arrow::float32()), arrow::list(arrow::float64())};
  for (const auto& type : types) {
    for (const std::int64_t rows_per_group : {1, 7, 100}) {
      const auto path = directory.path() / "rows.parquet";
      test::WriteParquet(path, *TableOf(test::EmbeddingArray(rows, type)), rows_per_group);
      for (const int num_threads : {1, 3}) {
        BOOST_TEST_CONTEXT(type->ToString() << ", " << rows_per_group << " rows a group, "
                                            << num_threads << " threads") {
          CheckMatrix(Get(Read({path.string()}, num_threads)), rows, {});
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(rows_that_are_null_or_not_finite_are_left_out) {
  const test::TempDirectory directory;
  Matrix rows = test::RandomRows(60, kDimension, 2);
  // Null rows are in the first and third row group, numbers that are not finite in the second.
  rows.row(25)[4] = INFINITY;
  rows.row(26)[0] = std::nanf("");
  rows.row(39)[2] = -INFINITY;
  const std::set<std::size_t> invalid{0, 3, 25, 26, 39, 41, 59};
  for (const auto& type : {test::FixedSizeFloats(kDimension), arrow::list(arrow::float32())}) {
    const auto path = directory.path() / "rows.parquet";
    test::WriteParquet(path, *TableOf(test::EmbeddingArray(rows, type, {0, 3, 41, 59})), 20);
    for (const int num_threads : {1, 2}) {
      CheckMatrix(Get(Read({path.string()}, num_threads)), rows, invalid);
      const auto error = Read({path.string()}, num_threads, InvalidRows::kError);
      BOOST_TEST(error.status().message().find("at row 0") != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_error_tells_the_row_of_its_file) {
  const test::TempDirectory directory;
  Matrix rows = test::RandomRows(30, kDimension, 3);
  rows.row(17)[0] = INFINITY;
  const auto path = directory.path() / "rows.parquet";
  const auto column = test::EmbeddingArray(rows, test::FixedSizeFloats(kDimension));
  test::WriteParquet(path, *TableOf(column), 8);
  const auto error = Read({path.string()}, 2, InvalidRows::kError);
  BOOST_TEST(error.status().message().find("at row 17;") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(lists_of_different_lengths_are_an_error_even_if_their_mean_is_whole) {
  const test::TempDirectory directory;
  arrow::ListBuilder lists(arrow::default_memory_pool(), std::make_shared<arrow::FloatBuilder>());
  auto& values = static_cast<arrow::FloatBuilder&>(*lists.value_builder());
  for (const int length : {3, 5}) {
    test::Require(lists.Append());
    for (int i = 0; i < length; ++i) test::Require(values.Append(1.0F));
  }
  const auto path = directory.path() / "rows.parquet";
  test::WriteParquet(path, *TableOf(Get(lists.Finish())));
  const auto parquet = Get(arrow_io::ParquetInput::Open(path));
  BOOST_TEST(arrow_io::UniformLength(*parquet, 0, 0) == 4);
  const auto error = Read({path.string()}, 2);
  BOOST_TEST(error.status().message().find("expected dimension 3 but found 5 at row 1") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(files_must_agree_on_the_dimension) {
  const test::TempDirectory directory;
  std::vector<std::string> paths;
  for (const std::size_t dimension : {4, 6}) {
    const Matrix rows = test::RandomRows(10, dimension, 4);
    paths.push_back((directory.path() / (std::to_string(dimension) + ".parquet")).string());
    test::WriteParquet(paths.back(),
                       *TableOf(test::EmbeddingArray(rows, test::FixedSizeFloats(dimension))));
  }
  const auto error = Read(paths, 2);
  BOOST_TEST(error.status().message().find("expected dimension 4 but found 6 at row 0") !=
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
