#include "pipelines/report/pictures.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/base64.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "arrow_io/parquet_input.h"
#include "pipelines/source/named_column.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;

constexpr std::size_t kMaxBytes = 300'000;

// Whether BytesAt can read values of a type.
bool HoldsBytes(const arrow::DataType& type) {
  return arrow::is_base_binary_like(type.id()) || arrow::is_binary_view_like(type.id());
}

// The bytes of a text or binary value; "" for null and other types.
std::string BytesAt(const arrow::Array& array, std::int64_t i) {
  if (array.IsNull(i)) return "";
  switch (array.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return static_cast<const arrow::BinaryArray&>(array).GetString(i);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return static_cast<const arrow::LargeBinaryArray&>(array).GetString(i);
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return static_cast<const arrow::BinaryViewArray&>(array).GetString(i);
    default:
      return "";
  }
}

std::string ReadWholeFile(const std::filesystem::path& path, std::size_t max_bytes) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error || size > max_bytes || !std::filesystem::is_regular_file(path, error)) return "";
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The kind of picture that bytes are, as a page names it; null where they are none.
const char* KindOf(const std::string& bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "png";
  if (bytes.starts_with("\xff\xd8\xff")) return "jpeg";
  if (bytes.starts_with("GIF8")) return "gif";
  if (bytes.starts_with("RIFF") && bytes.find("WEBP") == 8) return "webp";
  return nullptr;
}

// What a value stands for: the picture's own bytes, or those behind a path; "" for neither.
std::string PictureOf(const std::string& value, const char* directory, std::size_t max_bytes) {
  if (KindOf(value) != nullptr) return value.size() > max_bytes ? "" : value;
  const bool may_be_path = !value.empty() && value.size() < 4096 &&
                           value.find('\0') == std::string::npos && directory != nullptr;
  if (!may_be_path) return "";
  std::string bytes = ReadWholeFile(std::filesystem::path(directory) / value, max_bytes);
  return KindOf(bytes) == nullptr ? "" : bytes;
}

// The bytes of the picture that a value of a column stands for.
std::string BytesOf(const std::shared_ptr<arrow::Array>& column, std::int64_t i,
                    const char* directory, std::size_t max_bytes) {
  if (column->type_id() != arrow::Type::STRUCT) {
    return PictureOf(BytesAt(*column, i), directory, max_bytes);
  }
  const auto& parts = static_cast<const arrow::StructArray&>(*column);
  for (const char* name : {"bytes", "path"}) {
    const auto part = parts.GetFieldByName(name);
    if (part == nullptr || parts.IsNull(i)) continue;
    std::string bytes = PictureOf(BytesAt(*part, i), directory, max_bytes);
    if (!bytes.empty()) return bytes;
  }
  return "";
}

}  // namespace

std::string PictureAt(const std::shared_ptr<arrow::Array>& column, std::int64_t i,
                      const char* directory) {
  return ToDataUri(BytesOf(column, i, directory, kMaxBytes));
}

std::string ToDataUri(const std::string& bytes) {
  const char* const kind = KindOf(bytes);
  if (kind == nullptr || bytes.size() > kMaxBytes) return "";
  return std::string("data:image/") + kind + ";base64," + arrow::util::base64_encode(bytes);
}

arrow::Result<std::string> ReadPicture(const arrow_io::InputFile& file, const ParquetInput& parquet,
                                       std::int64_t row, const std::string& column) {
  ARROW_ASSIGN_OR_RAISE(const std::string bytes,
                        ReadPictureBytes(file, parquet, row, {column, "report-image"}, kMaxBytes));
  return ToDataUri(bytes);
}

arrow::Result<std::string> ReadPictureBytes(const arrow_io::InputFile& file,
                                            const ParquetInput& parquet, std::int64_t row,
                                            const TextColumn& column, std::size_t max_bytes) {
  ARROW_ASSIGN_OR_RAISE(const NamedColumn found,
                        NamedColumn::Find(*parquet.schema(), parquet.name(), parquet.partitions(),
                                          column.name, column.option));
  const std::string folder = std::filesystem::path(file.name).parent_path().string();
  const char* const directory = file.filesystem == nullptr ? folder.c_str() : nullptr;
  if (found.position < 0) return PictureOf(found.hive_value, directory, max_bytes);
  int row_group = 0;
  while (row >= parquet.RowsOf(row_group)) row -= parquet.RowsOf(row_group++);
  ParquetInput::Cursor cursor = parquet.ReadRowGroup({found.position}, row_group);
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const ParquetInput::Batch batch, cursor.Next());
    if (batch.rows == nullptr) return "";
    if (row < batch.first_row + batch.rows->num_rows()) {
      return BytesOf(batch.rows->column(0), row - batch.first_row, directory, max_bytes);
    }
  }
}

arrow::Status CheckPictureColumn(const arrow::Schema& schema, const NamedColumn& column) {
  if (column.position < 0) return arrow::Status::OK();
  const arrow::DataType& type = *schema.field(column.position)->type();
  bool fits = HoldsBytes(type);
  if (type.id() == arrow::Type::STRUCT) {
    for (const char* part : {"bytes", "path"}) {
      const auto field = static_cast<const arrow::StructType&>(type).GetFieldByName(part);
      fits |= field != nullptr && HoldsBytes(*field->type());
    }
  }
  if (fits) return arrow::Status::OK();
  return arrow::Status::Invalid(column.where,
                                ": expected pictures as `report-image` says, bytes, paths or a "
                                "struct with `bytes` or `path`, but found ",
                                type.ToString());
}

}  // namespace spuna
