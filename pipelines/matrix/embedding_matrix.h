#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/rows/embeddings_view.h"
#include "arrow_io/embedding_column.h"
#include "pipelines/matrix/untouched_memory.h"
#include "pipelines/options/options.h"

namespace spuna {

/// The valid embeddings of an input in memory, in the order of its rows.
struct EmbeddingMatrix {
  UntouchedVector<float> values;
  std::int64_t dimension = 0;
  /// One byte for every row of the input: whether it is one of the rows here.
  std::vector<std::uint8_t> valid;
  std::int64_t num_invalid = 0;

  std::int64_t num_rows() const { return static_cast<std::int64_t>(valid.size()) - num_invalid; }
  algorithms::EmbeddingsView view() const;

  /// Adds the rows of an embedding column. All must have the dimension of the first; with
  /// InvalidRows::kError none may be invalid.
  arrow::Status Append(const std::shared_ptr<arrow::Array>& column, InvalidRows invalid,
                       const arrow_io::ColumnLocation& location);

  /// An error when there is no valid row. `option` names the input ("trusted"), `where` its place.
  arrow::Status RequireRows(const std::string& option, const std::string& where) const;
};

/// Calls `visit(first value, number of rows)` for each run of valid rows.
template <typename Visit>
void ForEachValidRun(const arrow_io::EmbeddingRows& rows, Visit visit) {
  const auto count = static_cast<std::size_t>(rows.num_rows);
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin;
    while (end < count && rows.valid[end] != 0) ++end;
    if (end > begin) {
      visit(rows.values + begin * static_cast<std::size_t>(rows.dimension), end - begin);
    }
    begin = end + 1;
  }
}

/// The rows that were read, valid or not, as the algorithms take them.
algorithms::EmbeddingsView ViewOf(const arrow_io::EmbeddingRows& rows);

/// With InvalidRows::kError, an error that names the first invalid row if there is one.
arrow::Status CheckInvalidRows(const arrow_io::EmbeddingRows& rows, InvalidRows invalid,
                               const arrow_io::ColumnLocation& location);

}  // namespace spuna
