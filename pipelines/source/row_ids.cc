#include "pipelines/source/row_ids.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "arrow_io/parquet_input.h"
#include "pipelines/matrix/embedding_matrix.h"
#include "pipelines/source/named_column.h"

namespace spuna {
namespace {

using arrow_io::ParquetInput;

constexpr const char* kUsualName = "id";

}  // namespace

arrow::Result<std::vector<std::string>> ReadTexts(const arrow_io::InputFiles& input,
                                                  const RowSample& rows, const std::string& column,
                                                  const std::string& option,
                                                  const BadFiles& bad_files,
                                                  const Runtime& runtime) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < input.files.size(); ++i) {
    const arrow_io::InputFile& file = input.files[i];
    const std::vector<std::int64_t>& wanted = rows.rows[i];
    if (wanted.empty() || bad_files.Has(file)) continue;
    auto read = [&]() -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file));
      ARROW_ASSIGN_OR_RAISE(
          const NamedColumn found,
          NamedColumn::Find(*parquet->schema(), parquet->name(), file.partitions, column, option));
      if (found.position < 0) {
        texts.insert(texts.end(), wanted.size(), found.hive_value);
        return arrow::Status::OK();
      }
      std::size_t next = 0;
      return parquet->ForEachBatch(
          {found.position}, [&](const ParquetInput::Batch& batch) -> arrow::Status {
            if (runtime.ShouldStop()) return arrow::Status::Cancelled("interrupted");
            ARROW_ASSIGN_OR_RAISE(const auto values, found.Texts(*batch.rows));
            const std::int64_t end = batch.first_row + batch.rows->num_rows();
            for (; next < wanted.size() && wanted[next] < end; ++next) {
              const std::int64_t at = wanted[next] - batch.first_row;
              texts.push_back(values->IsNull(at) ? "" : values->GetString(at));
            }
            return arrow::Status::OK();
          });
    };
    ARROW_RETURN_NOT_OK(ReadUnchanged(file, read));
  }
  return texts;
}

arrow::Result<std::string> ResolveIdColumn(const arrow_io::InputFiles& input,
                                           const std::string& asked, const BadFiles& bad_files) {
  if (!asked.empty()) return asked;
  for (const arrow_io::InputFile& file : input.files) {
    if (bad_files.Has(file)) continue;
    ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetInput::Open(file));
    return parquet->schema()->GetAllFieldIndices(kUsualName).size() == 1 ? kUsualName : "";
  }
  return "";
}

std::string PlaceOf(const arrow_io::InputFile& file, std::int64_t row) {
  return file.relative_path.string() + ":" + std::to_string(row);
}

arrow::Result<std::vector<std::string>> ReadIds(const arrow_io::InputFiles& input,
                                                const RowSample& rows, const std::string& column,
                                                const BadFiles& bad_files, const Runtime& runtime) {
  if (!column.empty()) return ReadTexts(input, rows, column, "id", bad_files, runtime);
  std::vector<std::string> places;
  for (std::size_t i = 0; i < input.files.size(); ++i) {
    if (bad_files.Has(input.files[i])) continue;
    for (const std::int64_t row : rows.rows[i]) places.push_back(PlaceOf(input.files[i], row));
  }
  return places;
}

}  // namespace spuna
