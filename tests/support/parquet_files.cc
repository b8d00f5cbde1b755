#include "tests/support/parquet_files.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/util/float16.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <stdexcept>

namespace spuna::test {
namespace {

void AppendValue(arrow::ArrayBuilder& builder, float value) {
  switch (builder.type()->id()) {
    case arrow::Type::HALF_FLOAT:
      Require(static_cast<arrow::HalfFloatBuilder&>(builder).Append(
          arrow::util::Float16::FromFloat(value).bits()));
      return;
    case arrow::Type::DOUBLE:
      Require(static_cast<arrow::DoubleBuilder&>(builder).Append(value));
      return;
    default:
      Require(static_cast<arrow::FloatBuilder&>(builder).Append(value));
  }
}

template <typename Builder>
void AppendLists(const Matrix& rows, const std::vector<std::size_t>& null_rows,
                 arrow::ArrayBuilder& any) {
  auto& builder = static_cast<Builder&>(any);
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    if (std::ranges::find(null_rows, i) != null_rows.end()) {
      Require(builder.AppendNull());
      continue;
    }
    Require(builder.Append());
    for (std::size_t j = 0; j < rows.dimension; ++j) {
      AppendValue(*builder.value_builder(), rows.view().row(i)[j]);
    }
  }
}

}  // namespace

void Require(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

std::shared_ptr<arrow::Array> EmbeddingArray(const Matrix& rows,
                                             const std::shared_ptr<arrow::DataType>& type,
                                             const std::vector<std::size_t>& null_rows) {
  std::unique_ptr<arrow::ArrayBuilder> builder;
  Require(arrow::MakeBuilder(arrow::default_memory_pool(), type, &builder));
  switch (type->id()) {
    case arrow::Type::FIXED_SIZE_LIST:
      AppendLists<arrow::FixedSizeListBuilder>(rows, null_rows, *builder);
      break;
    case arrow::Type::LARGE_LIST:
      AppendLists<arrow::LargeListBuilder>(rows, null_rows, *builder);
      break;
    default:
      AppendLists<arrow::ListBuilder>(rows, null_rows, *builder);
  }
  return Get(builder->Finish());
}

std::shared_ptr<arrow::DataType> FixedSizeFloats(std::size_t dimension) {
  return arrow::fixed_size_list(arrow::float32(), static_cast<std::int32_t>(dimension));
}

std::shared_ptr<arrow::Table> EmbeddingTable(const Matrix& rows, std::int64_t first_id) {
  arrow::Int64Builder ids;
  arrow::BooleanBuilder shifted;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    const std::int64_t id = first_id + static_cast<std::int64_t>(i);
    Require(ids.Append(id));
    Require(shifted.Append(id % 2 == 1));
  }
  const auto type = FixedSizeFloats(rows.dimension);
  const auto schema =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("embedding", type),
                     arrow::field("shifted", arrow::boolean())});
  return arrow::Table::Make(schema,
                            {Get(ids.Finish()), EmbeddingArray(rows, type), Get(shifted.Finish())});
}

void WriteParquet(const std::filesystem::path& path, const arrow::Table& table,
                  std::int64_t rows_per_group) {
  std::filesystem::create_directories(path.parent_path());
  auto file = Get(arrow::io::FileOutputStream::Open(path.string()));
  const auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
  Require(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), file, rows_per_group,
                                     parquet::default_writer_properties(), arrow_properties));
  Require(file->Close());
}

std::shared_ptr<arrow::Table> ReadParquet(const std::filesystem::path& path) {
  auto file = Get(arrow::io::ReadableFile::Open(path.string()));
  auto reader = Get(parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
  return Get(reader->ReadTable());
}

}  // namespace spuna::test
