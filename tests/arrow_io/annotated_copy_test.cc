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
  const auto copy =
      Get(AnnotatedCopy::Create(to, to.string(), *input, schema, AllColumns(*input->schema())));
  for (int i = 0; i < input->num_row_groups(); ++i) {
    if (input->RowsOf(i) == 0) continue;
    Require(copy->StartRowGroup(i));
    // A part of the rows here and the rest at the end.
    Require(copy->CopyRows(input->RowsOf(i) / 3));
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
    copy =
        Get(AnnotatedCopy::Create(directory.path() / "to.parquet", "to", *input, schema, {0, 1}));
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

// Copies columns of a file, with `extra` where kAppended is. The file has one row group.
void CopySome(const std::filesystem::path& from, const std::filesystem::path& to,
              const std::vector<int>& sources) {
  const auto input = Get(ParquetInput::Open(from));
  arrow::FieldVector fields;
  for (const int source : sources) {
    fields.push_back(source == kAppended ? arrow::field("extra", arrow::float32())
                                         : input->schema()->field(source));
  }
  const auto schema = arrow::schema(fields, input->schema()->metadata());
  const auto copy = Get(AnnotatedCopy::Create(to, to.string(), *input, schema, sources));
  Require(copy->StartRowGroup(0));
  Require(
      copy->AppendColumns({std::make_shared<arrow::ChunkedArray>(Floats(input->RowsOf(0), 0))}));
  Require(copy->Close());
}

BOOST_AUTO_TEST_CASE(some_columns_are_copied_in_any_order) {
  const test::TempDirectory directory;
  const auto from = directory.path() / "from.parquet";
  const auto to = directory.path() / "to.parquet";
  // A struct has two leaves, so that columns and leaves are counted apart.
  auto table = Example();
  const auto words = table->column(1)->chunk(0);
  const auto pair = Get(
      arrow::StructArray::Make({words, Floats(100, 7)}, std::vector<std::string>{"word", "extra"}));
  table = Get(table->AddColumn(1, arrow::field("pair", pair->type()),
                               std::make_shared<arrow::ChunkedArray>(pair)));
  const auto properties = parquet::WriterProperties::Builder()
                              .compression(parquet::Compression::UNCOMPRESSED)
                              ->compression("word", parquet::Compression::ZSTD)
                              ->compression("embedding.bag.bag", parquet::Compression::SNAPPY)
                              ->build();
  const auto file = Get(arrow::io::FileOutputStream::Open(from.string()));
  Require(parquet::arrow::WriteTable(
      *table, arrow::default_memory_pool(), file, 1000, properties,
      parquet::ArrowWriterProperties::Builder().store_schema()->build()));
  Require(file->Close());
  const auto before = test::ReadParquet(from);
  const std::vector<std::vector<int>> grid = {{0, 1, 2, kAppended}, {kAppended, 2, 0},
                                              {kAppended},          {1, kAppended},
                                              {2, kAppended, 1},    {kAppended, 0}};
  for (const std::vector<int>& sources : grid) {
    CopySome(from, to, sources);
    const auto after = test::ReadParquet(to);
    Require(after->ValidateFull());
    BOOST_TEST_REQUIRE(after->num_columns() == static_cast<int>(sources.size()));
    BOOST_TEST(after->schema()->metadata()->Equals(*before->schema()->metadata()));
    for (int i = 0; i < after->num_columns(); ++i) {
      const int source = sources[static_cast<std::size_t>(i)];
      if (source == kAppended) {
        BOOST_TEST(after->field(i)->name() == "extra");
        BOOST_TEST(after->column(i)->Equals(arrow::ChunkedArray(Floats(100, 0))));
      } else {
        BOOST_TEST(after->field(i)->Equals(*before->field(source), true));
        BOOST_TEST(after->column(i)->Equals(*before->column(source)));
      }
    }
  }
  // {kAppended, 0}: as the last one that is taken. {kAppended} alone: as the last of the file.
  const auto codec_of = [&](int leaf) {
    return Get(ParquetInput::Open(to))->metadata().RowGroup(0)->ColumnChunk(leaf)->compression();
  };
  BOOST_TEST((codec_of(0) == codec_of(1)));
  CopySome(from, to, {kAppended});
  const auto input = Get(ParquetInput::Open(from));
  BOOST_TEST((codec_of(0) == input->metadata().RowGroup(0)->ColumnChunk(3)->compression()));
  BOOST_TEST((codec_of(0) != parquet::Compression::UNCOMPRESSED));
}

BOOST_AUTO_TEST_CASE(a_copy_is_sorted_by_the_columns_that_it_takes) {
  const test::TempDirectory directory;
  const auto from = directory.path() / "from.parquet";
  const auto to = directory.path() / "to.parquet";
  const auto numbers = std::make_shared<arrow::ChunkedArray>(Floats(100, 0));
  const auto table = arrow::Table::Make(
      arrow::schema({arrow::field("a", arrow::float32()), arrow::field("b", arrow::float32()),
                     arrow::field("c", arrow::float32())}),
      {numbers, numbers, numbers});
  const auto properties = parquet::WriterProperties::Builder()
                              .set_sorting_columns({{2, true, false}, {0, false, false}})
                              ->build();
  const auto file = Get(arrow::io::FileOutputStream::Open(from.string()));
  Require(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), file, 1000, properties));
  Require(file->Close());
  auto sorted_by = [&](const std::vector<int>& sources) {
    CopySome(from, to, sources);
    std::vector<int> columns;
    for (const auto& column :
         Get(ParquetInput::Open(to))->metadata().RowGroup(0)->sorting_columns()) {
      columns.push_back(column.column_idx);
    }
    return columns;
  };
  BOOST_TEST((sorted_by({0, 1, 2, kAppended}) == std::vector<int>{2, 0}));
  BOOST_TEST((sorted_by({2, kAppended, 0}) == std::vector<int>{0, 2}));
  BOOST_TEST((sorted_by({1, 2, kAppended}) == std::vector<int>{1}));
  // What comes second in the order says nothing without the first.
  BOOST_TEST((sorted_by({0, 1, kAppended}).empty()));
}

BOOST_AUTO_TEST_CASE(a_file_without_rows_is_copied) {
  const test::TempDirectory directory;
  test::WriteParquet(directory.path() / "from.parquet", *Example()->Slice(0, 0));
  Annotate(directory.path() / "from.parquet", directory.path() / "to.parquet");
  BOOST_TEST(test::ReadParquet(directory.path() / "to.parquet")->num_columns() == 3);
}

BOOST_AUTO_TEST_CASE(appended_columns_must_have_the_row_groups_length) {
  const StartedCopy started;
  Require(started.copy->StartRowGroup(0));
  const auto status =
      started.copy->AppendColumns({std::make_shared<arrow::ChunkedArray>(Floats(99, 0))});
  BOOST_TEST(status.message().starts_with("to can't be written: "));
}

BOOST_AUTO_TEST_CASE(a_file_that_shrinks_meanwhile_is_an_error) {
  const StartedCopy started;
  std::filesystem::resize_file(started.from, 100);
  Require(started.copy->StartRowGroup(0));
  BOOST_TEST(started.copy->CopyRows(1'000).IsIOError());
  BOOST_TEST(started.copy->InputFailed());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
