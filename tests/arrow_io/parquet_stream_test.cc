#include "arrow_io/parquet_stream.h"

#include <arrow/api.h>

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/support/parquet_files.h"
#include "tests/support/temp_directory.h"

namespace spuna::arrow_io {
namespace {

struct Lake {
  test::TempDirectory directory;
  test::Matrix rows = test::RandomRows(5, 3, 1);

  Lake() {
    const auto table = test::EmbeddingTable(rows);
    test::WriteParquet(directory / "lake/day=1/a.parquet", *table);
    test::WriteParquet(directory / "lake/day=2/a.parquet", *test::Get(table->RemoveColumn(2)));
  }

  void AddFile(const std::string& name, const std::shared_ptr<arrow::Field>& field,
               const std::shared_ptr<arrow::Array>& column) {
    const auto table = test::EmbeddingTable(rows);
    test::WriteParquet(
        directory / ("lake/" + name + "/a.parquet"),
        *test::Get(table->AddColumn(3, field, std::make_shared<arrow::ChunkedArray>(column))));
  }

  arrow::Result<std::shared_ptr<arrow::Table>> Read(const ParquetStreamOptions& options) const {
    ARROW_ASSIGN_OR_RAISE(const auto files, ListInputFiles({{directory / "lake"}, "pool"}));
    ARROW_ASSIGN_OR_RAISE(const auto rows_of_all, StreamParquet(files, options));
    return rows_of_all->ToTable();
  }
};

BOOST_FIXTURE_TEST_SUITE(parquet_stream, Lake)

BOOST_AUTO_TEST_CASE(files_that_differ_are_joined_by_name) {
  AddFile("day=3", arrow::field("camera", arrow::utf8(), /*nullable=*/false),
          test::Get(arrow::MakeArrayFromScalar(arrow::StringScalar("x"), 5)));
  const auto table = test::Get(Read({}));
  BOOST_TEST(
      table->schema()->ToString() ==
      "id: int64\nembedding: fixed_size_list<element: float>[3]\nshifted: bool\nday: string\n"
      "camera: string");
  BOOST_TEST(table->num_rows() == 15);
  BOOST_TEST(table->GetColumnByName("shifted")->null_count() == 5);
  BOOST_TEST(table->GetColumnByName("camera")->null_count() == 10);
  BOOST_TEST(table->GetColumnByName("day")->null_count() == 0);
}

BOOST_AUTO_TEST_CASE(types_that_differ_are_an_error_that_names_both_files) {
  AddFile("day=3", arrow::field("camera", arrow::utf8()),
          test::Get(arrow::MakeArrayFromScalar(arrow::StringScalar("x"), 5)));
  AddFile("day=4", arrow::field("camera", arrow::int32()),
          test::Get(arrow::MakeArrayFromScalar(arrow::Int32Scalar(1), 5)));
  const std::string lake = directory / "lake";
  BOOST_TEST(Read({}).status().message() == lake + "/day=4/a.parquet: column 'camera': expected " +
                                                "string as in " + lake +
                                                "/day=3/a.parquet but found int32");
}

BOOST_AUTO_TEST_CASE(the_embedding_may_not_be_missing) {
  const auto table = test::EmbeddingTable(rows);
  test::WriteParquet(directory / "lake/day=5/a.parquet", *test::Get(table->RemoveColumn(1)));
  ParquetStreamOptions options;
  options.embedding = "embedding";
  BOOST_TEST(Read(options).status().message().find("day=5/a.parquet") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_embedding_alone_is_read_of_files_that_differ) {
  ParquetStreamOptions options;
  options.only_embedding = true;
  const auto table = test::Get(Read(options));
  BOOST_TEST(table->num_columns() == 1);
  BOOST_TEST(table->num_rows() == 10);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
