#include "arrow_io/list_cursor.h"

#include <arrow/api.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "arrow_io/embedding_column.h"
#include "tests/support/parquet_files.h"
#include "tests/support/random_rows.h"
#include "tests/support/temp_directory.h"

namespace spuna::arrow_io {
namespace {

using test::Get;

void WriteRows(const std::string& path, const std::shared_ptr<arrow::Array>& embeddings,
               std::int64_t rows_per_group) {
  const auto schema = arrow::schema({arrow::field("embedding", embeddings->type())});
  test::WriteParquet(path, *arrow::Table::Make(schema, {embeddings}), rows_per_group);
}

template <typename Cursor>
std::vector<ParquetInput::Batch> ReadAll(Cursor cursor) {
  std::vector<ParquetInput::Batch> batches;
  while (true) {
    batches.push_back(Get(cursor.Next()));
    if (batches.back().rows == nullptr) return batches;
  }
}

// Whether its lists were read directly: these are called "item", those of the file "element".
bool IsOfOwnMaking(const ParquetInput::Batch& batch) {
  return batch.rows->column(0)->type()->field(0)->name() == "item";
}

// Both cursors give the same batches of the same rows.
void CheckAgainstOtherCursor(const std::string& path, std::int64_t length) {
  const auto input = Get(ParquetInput::Open(path));
  const auto expected = ReadAll(input->Read({0}));
  const auto batches = ReadAll(ListCursor(*input, 0, length));
  BOOST_TEST_REQUIRE(batches.size() == expected.size());
  for (std::size_t i = 0; i < batches.size(); ++i) {
    BOOST_TEST(batches[i].first_row == expected[i].first_row);
    if (expected[i].rows == nullptr) continue;
    BOOST_TEST_REQUIRE(batches[i].rows != nullptr);
    BOOST_TEST(batches[i].row_group == expected[i].row_group);
    BOOST_TEST(batches[i].starts_row_group == expected[i].starts_row_group);
    BOOST_TEST(batches[i].rows->schema()->field(0)->name() == "embedding");
    const auto own = Get(ReadEmbeddings(batches[i].rows->column(0), length, {}));
    const auto other = Get(ReadEmbeddings(expected[i].rows->column(0), length, {}));
    BOOST_TEST_REQUIRE(own.valid == other.valid);
    for (std::int64_t row = 0; row < own.num_rows; ++row) {
      if (own.valid[static_cast<std::size_t>(row)] == 0) continue;
      const float* const values = own.values + row * length;
      BOOST_TEST_REQUIRE(std::equal(values, values + length, other.values + row * length));
    }
  }
}

BOOST_AUTO_TEST_SUITE(list_cursor)

BOOST_AUTO_TEST_CASE(batches_are_those_of_the_other_cursor) {
  const test::TempDirectory directory;
  const std::string path = directory / "rows.parquet";
  const test::Matrix rows = test::RandomRows(100, 5, 1);
  for (const auto& type : {test::FixedSizeFloats(5), arrow::list(arrow::float32()),
                           arrow::large_list(arrow::float32()), arrow::list(arrow::float64())}) {
    for (const std::int64_t rows_per_group : {1, 7, 100}) {
      for (const std::vector<std::size_t>& nulls :
           {std::vector<std::size_t>{}, {0}, {8, 9, 10, 99}}) {
        WriteRows(path, test::EmbeddingArray(rows, type, nulls), rows_per_group);
        BOOST_TEST_CONTEXT(type->ToString() << ", " << rows_per_group << " rows a group, "
                                            << nulls.size() << " nulls") {
          CheckAgainstOtherCursor(path, 5);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_row_group_goes_on_the_general_way_from_its_first_null_number) {
  const test::TempDirectory directory;
  const std::string path = directory / "rows.parquet";
  // Several batches of 8 MiB in each of two row groups. The footer does not tell of the null.
  arrow::FloatBuilder numbers;
  for (std::int64_t i = 0; i < 40'000 * 256; ++i) {
    const auto number = static_cast<float>(i % 1'000'003);
    test::Require(i == 15'000 * 256 + 3 ? numbers.AppendNull() : numbers.Append(number));
  }
  WriteRows(path, Get(arrow::FixedSizeListArray::FromArrays(Get(numbers.Finish()), 256)), 25'000);
  const auto input = Get(ParquetInput::Open(path));
  BOOST_TEST_REQUIRE(input->rows_per_batch() < 10'000);
  for (const ParquetInput::Batch& batch : ReadAll(ListCursor(*input, 0, 256))) {
    if (batch.rows == nullptr) continue;
    const std::int64_t end = batch.first_row + batch.rows->num_rows();
    BOOST_TEST(IsOfOwnMaking(batch) == (batch.row_group == 1 || end <= 15'000));
  }
  CheckAgainstOtherCursor(path, 256);
}

BOOST_AUTO_TEST_CASE(lists_of_another_length_and_files_without_rows_are_read_as_they_are) {
  const test::TempDirectory directory;
  const std::string path = directory / "rows.parquet";
  WriteRows(path, test::EmbeddingArray(test::RandomRows(10, 4, 3), test::FixedSizeFloats(4)), 100);
  const auto input = Get(ParquetInput::Open(path));
  const auto batches = ReadAll(ListCursor(*input, 0, 5));
  BOOST_TEST_REQUIRE(batches.size() == 2);
  BOOST_TEST(batches[0].rows->num_rows() == 10);
  const auto error = ReadEmbeddings(batches[0].rows->column(0), 5, {});
  BOOST_TEST(error.status().message().find("found 4") != std::string::npos);

  WriteRows(path, test::EmbeddingArray(test::RandomRows(0, 4, 3), test::FixedSizeFloats(4)), 100);
  const auto empty = Get(ParquetInput::Open(path));
  BOOST_TEST(ReadAll(ListCursor(*empty, 0, 4)).size() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
