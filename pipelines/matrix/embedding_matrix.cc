#include "pipelines/matrix/embedding_matrix.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

#include "arrow_io/parquet_input.h"

namespace spuna {

void* AllocateUntouched(std::size_t num_bytes) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  const bool is_large = num_bytes >= 4 * kLargePage;
  const std::size_t alignment = is_large ? kLargePage : alignof(std::max_align_t);
  if (num_bytes > std::numeric_limits<std::size_t>::max() - alignment) throw std::bad_alloc();
  const std::size_t rounded = (num_bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, std::max(rounded, alignment));
  if (memory == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  if (is_large) madvise(memory, rounded, MADV_HUGEPAGE);  // A wish: whether it is heard or not.
#endif
  return memory;
}

void FreeUntouched(void* memory) { std::free(memory); }

algorithms::EmbeddingsView EmbeddingMatrix::view() const {
  return {values.data(), static_cast<std::size_t>(num_rows()), static_cast<std::size_t>(dimension)};
}

arrow::Status EmbeddingMatrix::Append(const std::shared_ptr<arrow::Array>& column,
                                      InvalidRows invalid,
                                      const arrow_io::ColumnLocation& location) {
  ARROW_ASSIGN_OR_RAISE(const arrow_io::EmbeddingRows rows,
                        arrow_io::ReadEmbeddings(column, dimension, location));
  ARROW_RETURN_NOT_OK(CheckInvalidRows(rows, invalid, location));
  dimension = rows.dimension;
  ForEachValidRun(rows, [&](const float* run, std::size_t num_rows) {
    values.insert(values.end(), run, run + num_rows * static_cast<std::size_t>(dimension));
  });
  valid.insert(valid.end(), rows.valid.begin(), rows.valid.end());
  num_invalid += rows.num_invalid;
  return arrow::Status::OK();
}

arrow::Status EmbeddingMatrix::RequireRows(const std::string& option,
                                           const std::string& where) const {
  if (num_rows() > 0) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "`", option, "`: expected rows with embeddings in ", where, " but ",
      valid.empty() ? std::string("there are no rows")
                    : "all " + std::to_string(num_invalid) + " are null or hold non-finite values");
}

arrow::Result<std::string> ResolveEmbeddingColumn(const arrow_io::InputFiles& input,
                                                  const std::string& asked,
                                                  const std::string& preferred,
                                                  BadFiles* bad_files) {
  arrow::Status first_error;
  for (const arrow_io::InputFile& file : input.files) {
    if (bad_files != nullptr && bad_files->Has(file)) continue;
    const auto parquet = arrow_io::ParquetInput::Open(file);
    if (parquet.ok()) {
      return ResolveEmbeddingColumn(*(*parquet)->schema(), file.name, asked, preferred);
    }
    if (bad_files == nullptr) return parquet.status();
    if (first_error.ok()) first_error = parquet.status();
    ARROW_RETURN_NOT_OK(bad_files->Take(file, parquet.status()));
  }
  return arrow::Status::IOError("none of ", input.files.size(),
                                " files can be read; the first: ", first_error.message());
}

arrow::Result<std::string> ResolveEmbeddingColumn(const arrow::Schema& schema,
                                                  const std::string& where,
                                                  const std::string& asked,
                                                  const std::string& preferred) {
  const int known = preferred.empty() ? -1 : schema.GetFieldIndex(preferred);
  if (asked.empty() && known >= 0 && arrow_io::IsEmbeddingType(*schema.field(known)->type())) {
    return preferred;
  }
  ARROW_ASSIGN_OR_RAISE(int column, arrow_io::FindEmbeddingColumn(schema, asked, where));
  // A column is known by its name from here on, so the name must be its own.
  ARROW_ASSIGN_OR_RAISE(column,
                        arrow_io::FindEmbeddingColumn(schema, schema.field(column)->name(), where));
  return schema.field(column)->name();
}

std::string NameOf(const arrow_io::InputFiles& input) {
  return input.files.size() == 1 ? input.files.front().name
                                 : std::to_string(input.files.size()) + " files";
}

arrow::Status CheckInvalidRows(const arrow_io::EmbeddingRows& rows, InvalidRows invalid,
                               const arrow_io::ColumnLocation& location) {
  if (invalid != InvalidRows::kError || rows.num_invalid == 0) return arrow::Status::OK();
  const auto first = std::ranges::find(rows.valid, 0) - rows.valid.begin();
  return arrow::Status::Invalid(
      "column '", location.column, "' of ", location.file,
      ": expected a finite embedding but found a null or a non-finite value at row ",
      location.first_row + first, "; `invalid` says that this is an error");
}

}  // namespace spuna
