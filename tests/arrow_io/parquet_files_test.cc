#include "tests/support/parquet_files.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <boost/test/unit_test.hpp>

#include "arrow_io/parquet_input.h"
#include "arrow_io/parquet_output.h"
#include "tests/support/temp_directory.h"

namespace spuna::arrow_io {
namespace {

using test::TempDirectory;

std::shared_ptr<parquet::FileMetaData> MetadataOf(const std::string& path) {
  return parquet::ParquetFileReader::OpenFile(path)->metadata();
}

// Copies a file batch by batch, all columns and one more.
void CopyWithExtraColumn(const std::string& from, const std::string& to) {
  const auto input = ParquetInput::Open(from).ValueOrDie();
  const std::vector<int> columns = AllColumns(*input->schema());
  arrow::FieldVector fields = input->schema()->fields();
  fields.push_back(arrow::field("extra", arrow::int32()));
  const auto schema = arrow::schema(fields, input->schema()->metadata());
  const auto output = ParquetOutput::Create(to, to, *input, columns, schema).ValueOrDie();
  test::Require(input->ForEachBatch(columns, [&](const ParquetInput::Batch& batch) {
    arrow::ArrayVector arrays = batch.rows->columns();
    arrays.push_back(
        arrow::MakeArrayFromScalar(arrow::Int32Scalar(7), batch.rows->num_rows()).ValueOrDie());
    if (batch.starts_row_group) output->StartRowGroup();
    return output->Write(*arrow::RecordBatch::Make(schema, batch.rows->num_rows(), arrays));
  }));
  test::Require(output->Close());
}

std::shared_ptr<arrow::Array> DictionaryOf(int num_rows) {
  arrow::StringDictionaryBuilder dictionary;
  for (int i = 0; i < num_rows; ++i) test::Require(dictionary.Append(i % 3 == 0 ? "x" : "y"));
  return dictionary.Finish().ValueOrDie();
}

// Structs with nulls and lists of texts.
std::shared_ptr<arrow::Array> NestedRows(int num_rows) {
  arrow::StructBuilder structs(
      arrow::struct_(
          {arrow::field("a", arrow::int32()), arrow::field("b", arrow::list(arrow::utf8()))}),
      arrow::default_memory_pool(),
      {std::make_shared<arrow::Int32Builder>(),
       std::make_shared<arrow::ListBuilder>(arrow::default_memory_pool(),
                                            std::make_shared<arrow::StringBuilder>())});
  for (int i = 0; i < num_rows; ++i) {
    if (i % 5 == 0) {
      test::Require(structs.AppendNull());
      continue;
    }
    test::Require(structs.Append());
    test::Require(static_cast<arrow::Int32Builder*>(structs.field_builder(0))->Append(i));
    auto* lists = static_cast<arrow::ListBuilder*>(structs.field_builder(1));
    test::Require(lists->Append());
    for (int n = 0; n < i % 4; ++n) {
      test::Require(static_cast<arrow::StringBuilder*>(lists->value_builder())->Append("word"));
    }
  }
  return structs.Finish().ValueOrDie();
}

BOOST_AUTO_TEST_SUITE(parquet_files)

BOOST_AUTO_TEST_CASE(a_copy_keeps_columns_metadata_row_groups_and_storage) {
  const TempDirectory directory;
  const test::Matrix rows = test::RandomRows(250, 6, 1);
  auto table = test::EmbeddingTable(rows);
  // Metadata on the file and on a field, a dictionary column, a nested one, and a required one.
  const auto dictionary = DictionaryOf(250);
  const auto structs = NestedRows(250);
  auto add = [&](const std::shared_ptr<arrow::Field>& field, std::shared_ptr<arrow::Array> array) {
    table = table
                ->AddColumn(table->num_columns(), field,
                            std::make_shared<arrow::ChunkedArray>(std::move(array)))
                .ValueOrDie();
  };
  add(arrow::field("word", dictionary->type(), true, arrow::key_value_metadata({"unit"}, {"none"})),
      dictionary);
  add(arrow::field("nested", structs->type()), structs);
  add(arrow::field("required", arrow::float64(), false),
      arrow::MakeArrayFromScalar(arrow::DoubleScalar(0.5), 250).ValueOrDie());
  table = table->ReplaceSchemaMetadata(arrow::key_value_metadata({"owner"}, {"someone"}));

  const std::string from = directory / "from.parquet";
  {
    auto file = arrow::io::FileOutputStream::Open(from).ValueOrDie();
    parquet::WriterProperties::Builder properties;
    properties.compression(parquet::Compression::SNAPPY)
        ->compression("embedding.list.element", parquet::Compression::ZSTD)
        ->disable_dictionary("embedding.list.element")
        ->encoding("embedding.list.element", parquet::Encoding::BYTE_STREAM_SPLIT)
        ->compression("id", parquet::Compression::UNCOMPRESSED);
    test::Require(parquet::arrow::WriteTable(
        *table, arrow::default_memory_pool(), file, 70, properties.build(),
        parquet::ArrowWriterProperties::Builder().store_schema()->build()));
    test::Require(file->Close());
  }
  const std::string to = directory / "to.parquet";
  CopyWithExtraColumn(from, to);

  const auto copied = test::ReadParquet(to);
  const auto original = test::ReadParquet(from);
  BOOST_TEST(copied->RemoveColumn(copied->num_columns() - 1)
                 .ValueOrDie()
                 ->Equals(*original, /*check_metadata=*/true));
  BOOST_TEST(copied->schema()->GetFieldByName("extra")->type()->ToString() == "int32");

  const auto before = MetadataOf(from);
  const auto after = MetadataOf(to);
  BOOST_TEST_REQUIRE(after->num_row_groups() == 4);
  for (int g = 0; g < 4; ++g) {
    BOOST_TEST(after->RowGroup(g)->num_rows() == before->RowGroup(g)->num_rows());
    for (int c = 0; c < before->num_columns(); ++c) {
      const auto was = before->RowGroup(g)->ColumnChunk(c);
      const auto is = after->RowGroup(g)->ColumnChunk(c);
      BOOST_TEST(static_cast<int>(is->compression()) == static_cast<int>(was->compression()));
      BOOST_TEST(is->has_dictionary_page() == was->has_dictionary_page());
      BOOST_TEST((is->encodings() == was->encodings()));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_copy_keeps_metadata_beside_the_schema_and_the_names_of_list_items) {
  const TempDirectory directory;
  const std::string from = directory / "from.parquet";
  const auto table = test::EmbeddingTable(test::RandomRows(10, 3, 1));
  {
    auto file = arrow::io::FileOutputStream::Open(from).ValueOrDie();
    auto writer = parquet::arrow::FileWriter::Open(*table->schema(), arrow::default_memory_pool(),
                                                   file, parquet::default_writer_properties(),
                                                   parquet::ArrowWriterProperties::Builder()
                                                       .store_schema()
                                                       ->disable_compliant_nested_types()
                                                       ->build())
                      .ValueOrDie();
    test::Require(writer->WriteTable(*table));
    test::Require(writer->AddKeyValueMetadata(arrow::key_value_metadata({"writer"}, {"spark"})));
    test::Require(writer->Close());
    test::Require(file->Close());
  }
  CopyWithExtraColumn(from, directory / "to.parquet");
  const auto copied = MetadataOf(directory / "to.parquet");
  BOOST_TEST(copied->key_value_metadata()->Get("writer").ValueOrDie() == "spark");
  BOOST_TEST(copied->schema()->Column(1)->path()->ToDotString() == "embedding.list.item");
}

BOOST_AUTO_TEST_CASE(files_without_rows_or_row_groups_are_copied) {
  const TempDirectory directory;
  test::WriteParquet(directory / "empty.parquet", *test::EmbeddingTable(test::RandomRows(0, 3, 1)));
  CopyWithExtraColumn(directory / "empty.parquet", directory / "copy.parquet");
  const auto copied = test::ReadParquet(directory / "copy.parquet");
  BOOST_TEST(copied->num_rows() == 0);
  BOOST_TEST(copied->num_columns() == 4);
}

BOOST_AUTO_TEST_CASE(batches_are_bounded_and_tell_where_they_are) {
  const TempDirectory directory;
  // 37 MB in the first row group: more than a batch.
  const test::Matrix rows = test::RandomRows(20'000, 512, 1);
  test::WriteParquet(directory / "wide.parquet", *test::EmbeddingTable(rows), 18'000);
  const auto input = ParquetInput::Open(directory / "wide.parquet").ValueOrDie();
  std::int64_t next_row = 0;
  int num_batches = 0;
  test::Require(input->ForEachBatch({1}, [&](const ParquetInput::Batch& batch) {
    BOOST_TEST(batch.first_row == next_row);
    BOOST_TEST(batch.starts_row_group == (next_row == 0 || next_row == 18'000));
    BOOST_TEST(batch.rows->num_columns() == 1);
    BOOST_TEST(batch.rows->num_rows() * 512 * 4 <= 40 << 20);
    next_row += batch.rows->num_rows();
    ++num_batches;
    return arrow::Status::OK();
  }));
  BOOST_TEST(next_row == 20'000);
  BOOST_TEST(num_batches >= 3);
}

BOOST_AUTO_TEST_CASE(an_error_of_the_visitor_ends_the_reading) {
  const TempDirectory directory;
  test::WriteParquet(directory / "a.parquet", *test::EmbeddingTable(test::RandomRows(100, 3, 1)),
                     10);
  const auto input = ParquetInput::Open(directory / "a.parquet").ValueOrDie();
  int visits = 0;
  const arrow::Status status = input->ForEachBatch({0}, [&](const ParquetInput::Batch&) {
    return ++visits == 3 ? arrow::Status::Invalid("enough") : arrow::Status::OK();
  });
  BOOST_TEST(status.message() == "enough");
  BOOST_TEST(visits == 3);
}

BOOST_AUTO_TEST_CASE(damaged_files_are_errors_that_name_the_file) {
  const TempDirectory directory;
  const std::string path = directory / "a.parquet";
  test::WriteParquet(path, *test::EmbeddingTable(test::RandomRows(3000, 8, 1)), 500);
  const std::string sound = test::ReadFile(path);
  auto read = [&](const std::string& bytes) {
    test::WriteFile(path, bytes);
    const auto input = ParquetInput::Open(path);
    if (!input.ok()) return input.status();
    return (*input)->ForEachBatch(AllColumns(*(*input)->schema()),
                                  [](const ParquetInput::Batch&) { return arrow::Status::OK(); });
  };
  test::Require(read(sound));
  for (const std::string& bytes :
       {std::string(), std::string("PAR1"), std::string("this is not Parquet at all"),
        sound.substr(0, sound.size() / 2), sound.substr(0, sound.size() - 1), sound.substr(10)}) {
    const arrow::Status status = read(bytes);
    BOOST_TEST(!status.ok());
    BOOST_TEST(status.message().starts_with(path + ": "));
  }
  // Bytes changed at random may go unnoticed, but must neither crash nor hang.
  for (std::size_t i = 0; i < 300; ++i) {
    std::string bytes = sound;
    const std::size_t at = i * 7919 % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << i % 8));
    bytes[bytes.size() - 9 - i % 400] ^= 0x20;
    (void)read(bytes);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna::arrow_io
