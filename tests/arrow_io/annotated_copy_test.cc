#include "arrow_io/annotated_copy.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <parquet/arrow/writer.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/statistics.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/parquet_files.h"
#include "tests/support/random_rows.h"
#include "tests/support/temp_directory.h"

namespace spuna::arrow_io {
namespace {

using test::Get;
using test::Require;

std::shared_ptr<arrow::Array> Floats(std::int64_t count, float first) {
  arrow::FloatBuilder builder;
  for (std::int64_t i = 0; i < count; ++i) {
    Require(i % 5 == 4 ? builder.AppendNull() : builder.Append(first + static_cast<float>(i)));
  }
  return Get(builder.Finish());
}

// Copies a file with a column `extra` appended, which counts up from the row group's number.
void Annotate(const std::filesystem::path& from, const std::filesystem::path& to) {
  const auto input = Get(ParquetInput::Open(from));
  BOOST_TEST_REQUIRE(AnnotatedCopy::CanCopy(*input));
  const auto schema = Get(input->schema()->AddField(input->schema()->num_fields(),
                                                    arrow::field("extra", arrow::float32())));
  const auto copy = Get(AnnotatedCopy::Create(to, to.string(), *input, schema));
  for (int i = 0; i < input->num_row_groups(); ++i) {
    if (input->RowsOf(i) == 0) continue;
    Require(copy->CopyRowGroup(i));
    // In two parts, as they come from two batches.
    const std::int64_t half = input->RowsOf(i) / 2;
    const auto column = Floats(input->RowsOf(i), static_cast<float>(i));
    Require(copy->AppendColumns({std::make_shared<arrow::ChunkedArray>(
        arrow::ArrayVector{column->Slice(0, half), column->Slice(half)})}));
  }
  Require(copy->Close());
}

std::shared_ptr<arrow::Table> Example() {
  const test::Matrix rows = test::RandomRows(100, 6, 1);
  const auto embedding =
      test::EmbeddingArray(rows, arrow::list(arrow::field("bag", arrow::float32())), {3, 50});
  arrow::StringBuilder text;
  for (int i = 0; i < 100; ++i) {
    Require(i % 3 == 0 ? text.AppendNull() : text.Append("word " + std::to_string(i % 4)));
  }
  const auto words = Get(text.Finish());
  const auto metadata = arrow::key_value_metadata({"who"}, {"me"});
  return arrow::Table::Make(arrow::schema({arrow::field("embedding", embedding->type()),
                                           arrow::field("word", words->type(), true, metadata)},
                                          arrow::key_value_metadata({"a"}, {"b"})),
                            {embedding, words});
}

// A copy of a file, to be named "to" in messages, before its first row group.
struct StartedCopy {
  StartedCopy() {
    test::WriteParquet(from, *Example());
    input = Get(ParquetInput::Open(from));
    const auto schema = Get(input->schema()->AddField(2, arrow::field("extra", arrow::float32())));
    copy = Get(AnnotatedCopy::Create(directory.path() / "to.parquet", "to", *input, schema));
  }

  test::TempDirectory directory;
  std::filesystem::path from = directory.path() / "from.parquet";
  std::unique_ptr<ParquetInput> input;
  std::unique_ptr<AnnotatedCopy> copy;
};

BOOST_AUTO_TEST_SUITE(annotated_copy)

BOOST_AUTO_TEST_CASE(everything_is_kept_and_the_column_is_there) {
  const test::TempDirectory directory;
  const auto from = directory.path() / "from.parquet";
  const auto to = directory.path() / "to.parquet";
  const auto table = Example();
  for (const auto codec : {parquet::Compression::UNCOMPRESSED, parquet::Compression::ZSTD}) {
    for (const auto version :
         {parquet::ParquetDataPageVersion::V1, parquet::ParquetDataPageVersion::V2}) {
      const auto properties = parquet::WriterProperties::Builder()
                                  .compression(codec)
                                  ->data_page_version(version)
                                  ->data_pagesize(200)
                                  ->write_batch_size(10)
                                  ->build();
      const auto file = Get(arrow::io::FileOutputStream::Open(from.string()));
      Require(parquet::arrow::WriteTable(
          *table, arrow::default_memory_pool(), file, 30, properties,
          parquet::ArrowWriterProperties::Builder().store_schema()->build()));
      Require(file->Close());
      Annotate(from, to);

      const auto copied = test::ReadParquet(to);
      Require(copied->ValidateFull());
      BOOST_TEST(Get(copied->RemoveColumn(2))->Equals(*test::ReadParquet(from), true));
      BOOST_TEST(copied->column(2)->Slice(60, 30)->Equals(
          *arrow::ChunkedArray::Make({Floats(30, 2)}).ValueOrDie()));
      const auto before = Get(ParquetInput::Open(from));
      const auto after = Get(ParquetInput::Open(to));
      BOOST_TEST_REQUIRE(after->num_row_groups() == 4);
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 2; ++j) {
          const auto old_chunk = before->metadata().RowGroup(i)->ColumnChunk(j);
          const auto new_chunk = after->metadata().RowGroup(i)->ColumnChunk(j);
          BOOST_TEST(new_chunk->total_compressed_size() == old_chunk->total_compressed_size());
          BOOST_TEST((new_chunk->compression() == codec));
          BOOST_TEST((new_chunk->encodings() == old_chunk->encodings()));
          BOOST_TEST(new_chunk->statistics()->Equals(*old_chunk->statistics()));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_file_without_rows_is_copied) {
  const test::TempDirectory directory;
  test::WriteParquet(directory.path() / "from.parquet", *Example()->Slice(0, 0));
  Annotate(directory.path() / "from.parquet", directory.path() / "to.parquet");
  BOOST_TEST(test::ReadParquet(directory.path() / "to.parquet")->num_columns() == 3);
}

BOOST_AUTO_TEST_CASE(appended_columns_must_have_the_row_groups_length) {
  const StartedCopy started;
  Require(started.copy->CopyRowGroup(0));
  const auto status =
      started.copy->AppendColumns({std::make_shared<arrow::ChunkedArray>(Floats(99, 0))});
  BOOST_TEST(status.message().starts_with("to can't be written: "));
}

BOOST_AUTO_TEST_CASE(a_file_that_shrinks_meanwhile_is_an_error) {
  const StartedCopy started;
  std::filesystem::resize_file(started.from, 100);
  BOOST_TEST(started.copy->CopyRowGroup(0).IsIOError());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
