#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "arrow_io/parquet_input.h"

namespace spuna::arrow_io {

/// A copy of a Parquet file with columns appended. What the file holds is copied as it is, pages
/// and statistics included, without being decoded: only the new columns are encoded. Bloom filters
/// and page indexes are left out.
class AnnotatedCopy {
 public:
  /// Whether a file can be copied like this: its chunks lie where the footer says, are not
  /// encrypted, and a column has one codec throughout.
  static bool CanCopy(const ParquetInput& input);

  /// Creates the file; messages call it `name`. `schema` is that of the input with fields appended,
  /// whose columns are compressed as the last one of the input. The input must outlive it.
  static arrow::Result<std::unique_ptr<AnnotatedCopy>> Create(
      const std::filesystem::path& path, const std::string& name, const ParquetInput& input,
      const std::shared_ptr<arrow::Schema>& schema);
  ~AnnotatedCopy();

  /// Starts a row group: copies one of the input. An error of reading the input names the input,
  /// and InputFailed tells it from one of writing.
  arrow::Status CopyRowGroup(int row_group);
  bool InputFailed() const;

  /// Ends the row group with the appended columns, as many rows as it has.
  arrow::Status AppendColumns(const arrow::ChunkedArrayVector& columns);

  /// Writes the footer and closes the file.
  arrow::Status Close();

 private:
  struct State;
  explicit AnnotatedCopy(std::unique_ptr<State> state);
  arrow::Status Explain(const arrow::Status& status) const;

  std::unique_ptr<State> state_;
};

}  // namespace spuna::arrow_io
