#include "pipelines/matrix/embedding_matrix.h"

#include <algorithm>

namespace spuna {

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

algorithms::EmbeddingsView ViewOf(const arrow_io::EmbeddingRows& rows) {
  return {rows.values, static_cast<std::size_t>(rows.num_rows),
          static_cast<std::size_t>(rows.dimension)};
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
