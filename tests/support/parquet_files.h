#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "tests/support/random_rows.h"

namespace spuna::test {

/// Throws where the Status is not OK.
void Require(const arrow::Status& status);

/// The value, or throws.
template <typename T>
T Get(arrow::Result<T> result) {
  Require(result.status());
  return *std::move(result);
}

/// The embeddings as a column of this type: a fixed_size_list, list or large_list of floats. Rows
/// in `null_rows` are null.
std::shared_ptr<arrow::Array> EmbeddingArray(const Matrix& rows,
                                             const std::shared_ptr<arrow::DataType>& type,
                                             const std::vector<std::size_t>& null_rows = {});

/// fixed_size_list<float32>[dimension].
std::shared_ptr<arrow::DataType> FixedSizeFloats(std::size_t dimension);

/// Columns `id` (int64, ascending from `first_id`), `embedding` and `shifted` (true for odd ids).
std::shared_ptr<arrow::Table> EmbeddingTable(const Matrix& rows, std::int64_t first_id = 0);

/// Writes a table with row groups of the given size, creating folders as needed.
void WriteParquet(const std::filesystem::path& path, const arrow::Table& table,
                  std::int64_t rows_per_group = 1 << 20);
std::shared_ptr<arrow::Table> ReadParquet(const std::filesystem::path& path);

}  // namespace spuna::test
