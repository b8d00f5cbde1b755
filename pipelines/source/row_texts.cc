#include "pipelines/source/row_texts.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>

#include "pipelines/source/named_column.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;

constexpr const char* kUsualIdColumn = "id";
constexpr const char* kIdOption = "id";

}  // namespace

arrow::Result<std::vector<std::string>> ReadTexts(const ParquetInput& parquet,
                                                  std::span<const std::int64_t> rows,
                                                  const TextColumn& column,
                                                  const Runtime& runtime) {
  ARROW_ASSIGN_OR_RAISE(const NamedColumn found,
                        NamedColumn::Find(*parquet.schema(), parquet.name(), parquet.partitions(),
                                          column.name, column.option));
  if (found.position < 0) return std::vector<std::string>(rows.size(), found.hive_value);
  std::vector<std::string> texts;
  texts.reserve(rows.size());
  auto next = rows.begin();
  std::int64_t group_begin = 0;
  for (int group = 0; group < parquet.num_row_groups() && next != rows.end(); ++group) {
    const std::int64_t group_end = group_begin + parquet.RowsOf(group);
    const auto end = std::lower_bound(next, rows.end(), group_end);
    if (end != next) {
      ParquetInput::Cursor cursor = parquet.ReadRowGroup({found.position}, group);
      while (next != end) {
        ARROW_RETURN_NOT_OK(runtime.CheckStop());
        ARROW_ASSIGN_OR_RAISE(const ParquetInput::Batch batch, cursor.Next());
        if (batch.rows == nullptr) break;
        ARROW_ASSIGN_OR_RAISE(const auto values, found.Texts(*batch.rows));
        const std::int64_t begin = group_begin + batch.first_row;
        for (; next != end && *next < begin + values->length(); ++next) {
          const std::int64_t at = *next - begin;
          texts.push_back(values->IsNull(at) ? "" : values->GetString(at));
        }
      }
    }
    group_begin = group_end;
  }
  if (texts.size() == rows.size()) return texts;
  return arrow::Status::IOError(parquet.name(), ": it has fewer rows than before; did it change ",
                                "meanwhile?");
}

bool IdColumn::IsIn(const arrow::Schema& schema,
                    const std::vector<std::pair<std::string, std::string>>& hive_keys) const {
  const std::vector<int> at = schema.GetAllFieldIndices(name);
  // That it is there twice, or holds no text, is told by whoever reads it.
  if (is_asked) {
    return !at.empty() ||
           std::ranges::any_of(hive_keys, [&](const auto& key) { return key.first == name; });
  }
  return !name.empty() && at.size() == 1 && HasTexts(*schema.field(at[0])->type());
}

IdColumn ResolveIdColumn(const Source& source, const std::string& asked) {
  return ResolveIdColumn(source.SchemaOf(source.FirstGood()), asked);
}

IdColumn ResolveIdColumn(const arrow::Schema& schema, const std::string& asked) {
  if (!asked.empty()) return {asked, true};
  const IdColumn usual{kUsualIdColumn, false};
  return usual.IsIn(schema) ? usual : IdColumn();
}

std::string PlaceOf(const arrow_io::InputFile& file, std::int64_t row) {
  return file.relative_path.string() + ":" + std::to_string(row);
}

std::string PlaceInStream(std::int64_t row) { return std::to_string(row); }

arrow::Result<std::vector<std::string>> ReadIds(const arrow_io::InputFile& file,
                                                const ParquetInput& parquet,
                                                std::span<const std::int64_t> rows,
                                                const IdColumn& column, const Runtime& runtime) {
  if (column.IsIn(*parquet.schema(), parquet.partitions())) {
    return ReadTexts(parquet, rows, {column.name, kIdOption}, runtime);
  }
  std::vector<std::string> places;
  for (const std::int64_t row : rows) places.push_back(PlaceOf(file, row));
  return places;
}

}  // namespace spuna
