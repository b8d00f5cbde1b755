#include "pipelines/review/row_faces.h"

#include <arrow/type.h>

#include <functional>
#include <optional>

#include "pipelines/report/pictures.h"
#include "pipelines/report/thumbnail.h"
#include "pipelines/source/named_column.h"
#include "pipelines/source/row_texts.h"

namespace spuna {
namespace {

constexpr std::size_t kMaxPictureBytes = 30'000'000;
// 200 rows with two pictures each, in base64, stay well below 10 MB.
constexpr std::size_t kMaxThumbnailBytes = 20'000;
constexpr std::size_t kMaxTextBytes = 4'000;
constexpr std::size_t kMaxValues = 8;
constexpr std::size_t kMaxValueBytes = 200;

// The beginning of a text, cut between characters.
std::string Shortened(std::string text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xC0U) == 0x80U) {
    --max_bytes;
  }
  return text.substr(0, max_bytes) + " …";
}

// The columns of a file whose values can be shown as text.
std::vector<std::string> ValueColumns(const arrow::Schema& schema) {
  std::vector<std::string> names;
  for (const auto& field : schema.fields()) {
    if (names.size() == kMaxValues) break;
    if (HasTexts(*field->type())) names.push_back(field->name());
  }
  return names;
}

// Reads the faces of the rows of one file.
class FaceReader {
 public:
  FaceReader(const arrow_io::InputFile& file, const arrow_io::ParquetInput& parquet,
             const std::vector<std::int64_t>& rows, const FaceColumns& columns,
             const Runtime& runtime)
      : file_(file), parquet_(parquet), rows_(rows), columns_(columns), runtime_(runtime) {}

  arrow::Result<std::vector<RowFace>> Read() const {
    std::vector<RowFace> faces(rows_.size());
    if (Has(columns_.image)) {
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        ARROW_RETURN_NOT_OK(runtime_.CheckStop());
        ARROW_ASSIGN_OR_RAISE(const std::string bytes,
                              ReadPictureBytes(file_, parquet_, rows_[i], {columns_.image, "image"},
                                               kMaxPictureBytes));
        faces[i].picture = ThumbnailUri(bytes, kMaxThumbnailBytes);
      }
    }
    if (Has(columns_.text)) {
      ARROW_RETURN_NOT_OK(ReadColumn(columns_.text, [&](std::size_t i, std::string text) {
        faces[i].text = Shortened(std::move(text), kMaxTextBytes);
      }));
    }
    if (!columns_.image.empty() || !columns_.text.empty()) return faces;
    for (const std::string& name : ValueColumns(*parquet_.schema())) {
      ARROW_RETURN_NOT_OK(ReadColumn(name, [&](std::size_t i, std::string text) {
        faces[i].values.emplace_back(name, Shortened(std::move(text), kMaxValueBytes));
      }));
    }
    return faces;
  }

 private:
  bool Has(const std::string& column) const {
    if (column.empty()) return false;
    const auto found = NamedColumn::FindIfThere(*parquet_.schema(), parquet_.name(),
                                                parquet_.partitions(), column);
    return found.ok() && found->has_value();
  }

  arrow::Status ReadColumn(const std::string& name,
                           const std::function<void(std::size_t, std::string)>& take) const {
    ARROW_ASSIGN_OR_RAISE(std::vector<std::string> texts,
                          ReadTexts(parquet_, rows_, {name, "text"}, runtime_));
    for (std::size_t i = 0; i < texts.size(); ++i) take(i, std::move(texts[i]));
    return arrow::Status::OK();
  }

  const arrow_io::InputFile& file_;
  const arrow_io::ParquetInput& parquet_;
  const std::vector<std::int64_t>& rows_;
  const FaceColumns& columns_;
  const Runtime& runtime_;
};

}  // namespace

arrow::Status CheckFaceColumns(const Source& source, const FaceColumns& columns) {
  const std::pair<const std::string*, const char*> asked[] = {{&columns.image, "image"},
                                                              {&columns.text, "text"}};
  for (const auto& [name, option] : asked) {
    if (name->empty()) continue;
    bool is_there = false;
    for (std::size_t i = 0; i < source.files().size(); ++i) {
      if (source.IsBad(i)) continue;
      const arrow_io::InputFile& file = source.files()[i];
      ARROW_ASSIGN_OR_RAISE(
          const std::optional<NamedColumn> found,
          NamedColumn::FindIfThere(source.SchemaOf(i), file.name, file.partitions, *name));
      is_there |= found.has_value();
      if (found && name == &columns.image) {
        ARROW_RETURN_NOT_OK(CheckPictureColumn(source.SchemaOf(i), *found));
      }
    }
    if (is_there) continue;
    const std::size_t first = source.FirstGood();
    const arrow_io::InputFile& file = source.files()[first];
    return NamedColumn::Find(source.SchemaOf(first), file.name, file.partitions, *name, option)
        .status();
  }
  return arrow::Status::OK();
}

arrow::Result<std::map<RowPlace, RowFace>> ReadFaces(const Source& source,
                                                     const std::set<RowPlace>& places,
                                                     const FaceColumns& columns,
                                                     const Runtime& runtime) {
  std::map<std::size_t, std::vector<std::int64_t>> rows_of_files;
  for (const auto& [file, row] : places) rows_of_files[file].push_back(row);
  std::map<RowPlace, RowFace> faces;
  for (const auto& [number, rows] : rows_of_files) {
    auto visit = [&, &rows = rows](std::size_t file,
                                   const arrow_io::ParquetInput& parquet) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(
          std::vector<RowFace> read,
          FaceReader(source.files()[file], parquet, rows, columns, runtime).Read());
      for (std::size_t i = 0; i < rows.size(); ++i) faces[{file, rows[i]}] = std::move(read[i]);
      return arrow::Status::OK();
    };
    ARROW_RETURN_NOT_OK(source.ReadFile(number, visit, runtime));
  }
  return faces;
}

}  // namespace spuna
