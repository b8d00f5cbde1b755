#include "arrow_io/embedding_column.h"

#include <arrow/api.h>
#include <arrow/extension/fixed_shape_tensor.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "tests/support/parquet_files.h"
#include "tests/support/random_rows.h"

namespace spuna::arrow_io {
namespace {

using test::Matrix;

const ColumnLocation kLocation = {"embedding", "part-0003.parquet", 40};

std::vector<std::shared_ptr<arrow::DataType>> AllTypes(std::size_t dimension) {
  std::vector<std::shared_ptr<arrow::DataType>> types;
  for (const auto& value : {arrow::float16(), arrow::float32(), arrow::float64()}) {
    types.push_back(arrow::fixed_size_list(value, static_cast<std::int32_t>(dimension)));
    types.push_back(arrow::list(value));
    types.push_back(arrow::large_list(value));
  }
  return types;
}

// Values that float16 holds exactly.
Matrix HalfPrecisionRows(std::size_t num_rows, std::size_t dimension) {
  Matrix rows = test::RandomRows(num_rows, dimension, 1);
  for (float& value : rows.values) value = std::round(value * 64) / 64;
  return rows;
}

void CheckRow(const EmbeddingRows& rows, std::size_t row, const Matrix& expected,
              std::size_t expected_row) {
  for (std::size_t j = 0; j < expected.dimension; ++j) {
    BOOST_TEST_REQUIRE(rows.values[row * expected.dimension + j] ==
                       expected.view().row(expected_row)[j]);
  }
}

BOOST_AUTO_TEST_SUITE(embedding_column)

BOOST_AUTO_TEST_CASE(reads_every_type_whole_and_sliced) {
  const Matrix expected = HalfPrecisionRows(20, 5);
  for (const auto& type : AllTypes(5)) {
    BOOST_TEST_CONTEXT(type->ToString()) {
      BOOST_TEST(IsEmbeddingType(*type));
      const auto array = test::EmbeddingArray(expected, type, {6, 12});
      for (const auto& [offset, length] : {std::pair{0, 20}, std::pair{3, 17}, std::pair{5, 2},
                                           std::pair{7, 4}, std::pair{20, 0}}) {
        const EmbeddingRows rows =
            ReadEmbeddings(array->Slice(offset, length), 5, kLocation).ValueOrDie();
        BOOST_TEST_REQUIRE(rows.num_rows == length);
        std::int64_t num_invalid = 0;
        for (int i = 0; i < length; ++i) {
          const bool is_null = offset + i == 6 || offset + i == 12;
          num_invalid += is_null ? 1 : 0;
          BOOST_TEST(rows.valid[static_cast<std::size_t>(i)] == (is_null ? 0 : 1));
          if (!is_null) {
            CheckRow(rows, static_cast<std::size_t>(i), expected,
                     static_cast<std::size_t>(offset + i));
          }
        }
        BOOST_TEST(rows.num_invalid == num_invalid);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(does_not_copy_where_the_bytes_allow_it) {
  const Matrix expected = HalfPrecisionRows(9, 4);
  for (const auto& type : AllTypes(4)) {
    BOOST_TEST_CONTEXT(type->ToString()) {
      const bool float32 = type->field(0)->type()->id() == arrow::Type::FLOAT;
      const auto array = test::EmbeddingArray(expected, type);
      BOOST_TEST(ReadEmbeddings(array, 4, kLocation)->is_view == float32);
      BOOST_TEST(ReadEmbeddings(array->Slice(2, 5), 4, kLocation)->is_view == float32);
      // Rows of a fixed size lie in place even when some are null.
      const auto with_null = test::EmbeddingArray(expected, type, {3});
      BOOST_TEST(ReadEmbeddings(with_null, 4, kLocation)->is_view ==
                 (float32 && type->id() == arrow::Type::FIXED_SIZE_LIST));
    }
  }
  const auto array = test::EmbeddingArray(expected, test::FixedSizeFloats(4));
  const auto& floats = static_cast<const arrow::FloatArray&>(
      *static_cast<const arrow::FixedSizeListArray&>(*array).values());
  BOOST_TEST(ReadEmbeddings(array->Slice(2), 4, kLocation)->values == floats.raw_values() + 8);
}

BOOST_AUTO_TEST_CASE(finds_values_that_are_not_finite) {
  for (const auto& type : AllTypes(3)) {
    BOOST_TEST_CONTEXT(type->ToString()) {
      Matrix rows = HalfPrecisionRows(6, 3);
      rows.row(1)[2] = std::numeric_limits<float>::quiet_NaN();
      rows.row(2)[0] = std::numeric_limits<float>::infinity();
      rows.row(5)[1] = -std::numeric_limits<float>::infinity();
      const auto read = ReadEmbeddings(test::EmbeddingArray(rows, type), 3, kLocation);
      const std::vector<std::uint8_t> expected = {1, 0, 0, 1, 1, 0};
      BOOST_TEST(read->valid == expected, boost::test_tools::per_element());
      BOOST_TEST(read->num_invalid == 3);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_double_beyond_float32_is_not_finite) {
  auto values = std::make_shared<arrow::DoubleBuilder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), values);
  test::Require(lists.Append());
  test::Require(values->AppendValues({1.0, 1e300}));
  const auto rows = ReadEmbeddings(lists.Finish().ValueOrDie(), 2, kLocation);
  BOOST_TEST(rows->num_invalid == 1);
}

BOOST_AUTO_TEST_CASE(a_null_within_a_row_makes_it_invalid) {
  auto values = std::make_shared<arrow::FloatBuilder>();
  arrow::FixedSizeListBuilder lists(arrow::default_memory_pool(), values, 2);
  for (int i = 0; i < 3; ++i) {
    test::Require(lists.Append());
    test::Require(values->Append(1));
    test::Require(i == 1 ? values->AppendNull() : values->Append(2));
  }
  const auto array = lists.Finish().ValueOrDie();
  const std::vector<std::uint8_t> expected = {1, 0, 1};
  BOOST_TEST(ReadEmbeddings(array, 2, kLocation)->valid == expected,
             boost::test_tools::per_element());
  BOOST_TEST(ReadEmbeddings(array->Slice(1), 2, kLocation)->num_invalid == 1);
}

BOOST_AUTO_TEST_CASE(reads_tensors_through_their_storage) {
  const Matrix expected = HalfPrecisionRows(4, 6);
  const auto type = arrow::extension::fixed_shape_tensor(arrow::float32(), {2, 3});
  const auto array = arrow::ExtensionType::WrapArray(
      type, test::EmbeddingArray(expected, test::FixedSizeFloats(6)));
  BOOST_TEST(IsEmbeddingType(*type));
  const auto rows = ReadEmbeddings(array->Slice(1), 0, kLocation);
  BOOST_TEST_REQUIRE(rows.ok());
  BOOST_TEST(rows->dimension == 6);
  BOOST_TEST(rows->is_view);
  CheckRow(*rows, 0, expected, 1);
}

BOOST_AUTO_TEST_CASE(takes_the_dimension_from_the_first_row_and_holds_others_to_it) {
  auto values = std::make_shared<arrow::FloatBuilder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), values);
  test::Require(lists.AppendNull());
  test::Require(lists.Append());
  test::Require(values->AppendValues({1, 2, 3}));
  test::Require(lists.Append());
  test::Require(values->AppendValues({1, 2}));
  test::Require(lists.AppendEmptyValue());
  const auto array = lists.Finish().ValueOrDie();
  BOOST_TEST(ReadEmbeddings(array->Slice(0, 2), 0, kLocation)->dimension == 3);
  BOOST_TEST(ReadEmbeddings(array->Slice(0, 1), 0, kLocation)->dimension == 0);
  BOOST_TEST(ReadEmbeddings(array, 0, kLocation).status().message() ==
             "column 'embedding' of part-0003.parquet: expected dimension 3 but found 2 at row 42");
  BOOST_TEST(
      ReadEmbeddings(array->Slice(3), 768, kLocation).status().message() ==
      "column 'embedding' of part-0003.parquet: expected dimension 768 but found 0 at row 40");
  const auto fixed = test::EmbeddingArray(HalfPrecisionRows(2, 5), test::FixedSizeFloats(5));
  BOOST_TEST(ReadEmbeddings(fixed, 4, kLocation).status().message() ==
             "column 'embedding' of part-0003.parquet: expected dimension 4 but found 5 at row 40");
  // Null rows of another fixed size are null rows.
  const auto nulls =
      test::EmbeddingArray(HalfPrecisionRows(2, 5), test::FixedSizeFloats(5), {0, 1});
  BOOST_TEST(ReadEmbeddings(nulls, 4, kLocation)->num_invalid == 2);
}

BOOST_AUTO_TEST_CASE(refuses_columns_of_other_types) {
  for (const auto& type :
       {arrow::float32(), arrow::utf8(), arrow::list(arrow::int32()), arrow::list(arrow::utf8()),
        arrow::list(arrow::list(arrow::float32())), arrow::fixed_size_binary(8)}) {
    BOOST_TEST(!IsEmbeddingType(*type));
    const auto array = arrow::MakeArrayOfNull(type, 1).ValueOrDie();
    BOOST_TEST(ReadEmbeddings(array, 0, kLocation).status().message() ==
               "column 'embedding' of part-0003.parquet: expected a list of float16, float32 or "
               "float64 but found " +
                   type->ToString());
  }
}

BOOST_AUTO_TEST_CASE(chooses_the_embedding_column) {
  const auto number = arrow::field("id", arrow::int64());
  auto vector = [](const char* name) { return arrow::field(name, test::FixedSizeFloats(3)); };
  auto find = [](const arrow::FieldVector& fields, const std::string& name) {
    const auto found = FindEmbeddingColumn(*arrow::schema(fields), name, "x.parquet");
    return found.ok() ? std::to_string(*found) : found.status().message();
  };
  BOOST_TEST(find({number, vector("embedding"), vector("other")}, "") == "1");
  BOOST_TEST(find({number, vector("features")}, "") == "1");
  BOOST_TEST(find({vector("a"), vector("b")}, "b") == "1");
  // A column called embedding that holds none does not hide the one that does.
  BOOST_TEST(find({arrow::field("embedding", arrow::utf8()), vector("vector")}, "") == "1");
  BOOST_TEST(find({vector("a"), number, vector("b")}, "") ==
             "x.parquet: several columns could hold the embeddings ('a', 'b'); choose one with "
             "`embedding`");
  BOOST_TEST(
      find({number}, "") ==
      "x.parquet: there is no embedding column; expected a list of float16, float32 or float64");
  BOOST_TEST(find({vector("a"), number}, "c") ==
             "x.parquet: there is no column 'c'; expected a list of float16, "
             "float32 or float64; columns of this kind: 'a'");
  BOOST_TEST(find({vector("a"), number}, "id") ==
             "column 'id' of x.parquet: expected a list of float16, float32 or float64 but found "
             "int64; columns of this kind: 'a'");
  BOOST_TEST(find({vector("a"), vector("a")}, "a") ==
             "x.parquet: 2 columns are called 'a'; rename all but one");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
